// How much the hosts have, how much of it is promised to machines that run, and how much is in use now.
import { useMemo } from 'react'
import { useWords } from '../../app/words.ts'
import { HOSTS, INSTANCES, STORAGE_NODES } from '../../data/kinds.ts'
import { bytesText, cpusOfDomain, memoryOfDomain, numberText, quantityBytes } from '../../data/measures.ts'
import { useLatest } from '../../data/metrics.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Meter } from '../../parts/meter.tsx'

export function Capacity() {
  const { t, language } = useWords()
  const { total, promised } = useSums()
  const storage = useStorage()
  // Who may not see the hosts may not see their load either.
  const latest = useLatest('node', useObjects(HOSTS).list.length > 0)
  const now = (name: string) => {
    const values = (latest?.items ?? []).flatMap(({ values }) => values[name] ?? [])
    return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0)
  }
  const number = (value: number) => numberText(language, value)
  const bytes = (value: number) => bytesText(language, value)
  const cpu = now('cpu')
  const memory = now('memoryUsed')
  return (
    <div className="thirds">
      <Card
        title={t('column.cpu')}
        total={t('home.cores', { count: total.cpus })}
        value={promised.cpus / Math.max(1, total.cpus)}
        left={t('home.promised', { amount: number(promised.cpus) })}
        right={cpu === undefined ? '' : t('home.inUse', { amount: number(cpu) })}
      />
      <Card
        title={t('column.memory')}
        total={bytes(total.memory)}
        value={promised.memory / Math.max(1, total.memory)}
        left={t('home.promised', { amount: bytes(promised.memory) })}
        right={memory === undefined ? '' : t('home.inUse', { amount: bytes(memory) })}
      />
      {storage && (
        <Card
          title={t('home.storage')}
          total={bytes(storage.total)}
          value={storage.used / Math.max(1, storage.total)}
          left={t('home.inUse', { amount: bytes(storage.used) })}
          right={t('home.free', { amount: bytes(storage.total - storage.used) })}
        />
      )}
    </div>
  )
}

interface CardProps {
  readonly title: string
  readonly total: string
  readonly value: number
  readonly left: string
  readonly right: string
}

function Card({ title, total, value, left, right }: CardProps) {
  return (
    <section className="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span className="push small muted">{total}</span>
      </header>
      <div className="in capacity">
        <Meter value={value} label={`${title}: ${left}`} />
        <p className="small muted">
          <span>{left}</span>
          <span className="push">{right}</span>
        </p>
      </div>
    </section>
  )
}

function useSums() {
  const hosts = useObjects(HOSTS).list
  const instances = useObjects(INSTANCES).list
  return useMemo(() => {
    const total = { cpus: 0, memory: 0 }
    for (const { status } of hosts) {
      total.cpus += Number(status?.capacity?.['cpu'] ?? 0)
      total.memory += quantityBytes(status?.capacity?.['memory'])
    }
    const promised = { cpus: 0, memory: 0 }
    for (const { spec, status } of instances) {
      if (!status?.nodeName) continue
      promised.cpus += cpusOfDomain(spec?.domain)
      promised.memory += memoryOfDomain(spec?.domain)
    }
    return { total, promised }
  }, [hosts, instances])
}

function useStorage(): { readonly total: number; readonly used: number } | undefined {
  const { list, liveness } = useObjects(STORAGE_NODES, { namespace: 'longhorn-system' })
  return useMemo(() => {
    if (liveness === 'failed' || list.length === 0) return undefined
    let total = 0
    let free = 0
    for (const { status } of list)
      for (const disk of Object.values(status?.diskStatus ?? {})) {
        total += Number(disk?.storageMaximum ?? 0)
        free += Number(disk?.storageAvailable ?? 0)
      }
    return { total, used: total - free }
  }, [list, liveness])
}
