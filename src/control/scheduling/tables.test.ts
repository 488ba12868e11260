// Kubernetes' own tables of node selection and taints, where they lie beside the checkout.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  type LabelledNode,
  matchesNodeSelector,
  type NodeSelector,
  podMatchesNode,
  preferenceOf,
} from './node-selector.ts'
import { type Taint, type Toleration, untolerated } from './taints.ts'

const TABLES = new URL('../../../../shared/reference/k8s-tables/', import.meta.url)

function table(name: string): Record<string, readonly Record<string, unknown>[]> | undefined {
  const file = new URL(name, TABLES)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

test('node selectors, affinity and preferences', (t) => {
  const cases = table('scheduling-nodeaffinity.json')
  if (cases === undefined) return t.skip('shared tables absent')
  for (const one of cases['nodeSelector']!) {
    if (one['invalid']) continue
    const found = matchesNodeSelector(one['nodeSelector'] as NodeSelector, one['node'] as LabelledNode)
    assert.equal(found, one['match'], String(one['name']))
  }
  for (const one of cases['podMatchesNode']!) {
    const node = { metadata: { name: String(one['nodeName']), labels: one['labels'] ?? {} } } as LabelledNode
    const found = podMatchesNode(one['pod'] as Parameters<typeof podMatchesNode>[0], node)
    assert.equal(found, one['match'], String(one['name']))
  }
  for (const one of cases['preferred']!) {
    if (one['invalid']) continue
    const terms = one['terms'] as Parameters<typeof preferenceOf>[0]
    const node = (one['node'] ?? { metadata: {} }) as LabelledNode
    assert.equal(preferenceOf(terms, node), one['score'], String(one['name']))
  }
})

test('taints and node selector terms', (t) => {
  const cases = table('scheduling-taints-terms.json')
  if (cases === undefined) return t.skip('shared tables absent')
  for (const one of cases['nodeSelectorTerms']!) {
    const found = matchesNodeSelector(one['nodeSelector'] as NodeSelector, one['node'] as LabelledNode)
    assert.equal(found, one['match'], String(one['name']))
  }
  const all = ['NoSchedule', 'NoExecute', 'PreferNoSchedule']
  for (const one of cases['taints']!) {
    if (one['comparisonOperatorsFeatureGate']) continue
    const found = untolerated(one['taints'] as Taint[], one['tolerations'] as Toleration[], all)
    assert.equal(found === undefined, one['tolerated'], String(one['name']))
  }
})
