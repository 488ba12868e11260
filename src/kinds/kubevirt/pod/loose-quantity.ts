// An amount as KubeVirt takes it in requests and limits: also a bare fraction such as 2.2, which a quantity of
// Kubernetes may not be. The rules of memory and processors check that it is an amount.
import type { Typed } from '../../build.ts'

export function looseQuantity(description?: string): Typed<string | number> {
  return { ...(description ? { description } : {}), 'x-kubernetes-preserve-unknown-fields': true }
}
