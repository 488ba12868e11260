// The project that the pages show: a namespace, or all of them.
import { useSearch } from '@tanstack/react-router'

export function useProject(): string | undefined {
  return useSearch({ strict: false, select: ({ project }: { readonly project?: string }) => project })
}

/** Namespaces of the system itself: shown last, and never chosen for something new. */
export function isSystemNamespace(name: string): boolean {
  return /^(kube-|cattle-|fleet-)|-system$/.test(name)
}
