// Work that takes a while, shown at the foot of every page: what this page does itself (uploads, actions on many) and
// what the server is doing, read from its objects (see server-tasks.ts).
import { useSyncExternalStore } from 'react'
import { messageOf } from '../data/api.ts'

export type TaskState = 'runs' | 'done' | 'failed' | 'stopped'

export interface Task {
  readonly id: string
  readonly title: string
  readonly state: TaskState
  /** 0 to 1; absent where nobody knows. */
  readonly progress?: number
  readonly detail?: string
  readonly startedMs: number
  readonly endedMs?: number
  /** What happened so far, the newest last. */
  readonly log: readonly string[]
  readonly cancel?: () => void
  readonly resume?: () => void
  /** Address of the page of what it is about. */
  readonly link?: string
}

/** Finished tasks that are kept for looking back. */
const KEPT = 50
let tasks: readonly Task[] = []
let nextId = 1
const listeners = new Set<() => void>()

function set(next: readonly Task[]): void {
  tasks = next
  for (const listener of listeners) listener()
}

export interface TaskStart {
  readonly title: string
  readonly cancel?: () => void
  readonly link?: string
}

export interface RunningTask {
  tell(change: { readonly progress?: number; readonly detail?: string; readonly log?: string }): void
  end(state: Exclude<TaskState, 'runs'>, detail?: string, resume?: () => void): void
}

export function startTask(start: TaskStart): RunningTask {
  const id = `own-${nextId++}`
  const finished = tasks.filter(({ state }) => state !== 'runs').slice(-KEPT)
  const running = tasks.filter(({ state }) => state === 'runs')
  set([...finished, ...running, { ...start, id, state: 'runs', startedMs: Date.now(), log: [] }])
  const change = (make: (old: Task) => Task) => set(tasks.map((task) => (task.id === id ? make(task) : task)))
  return {
    tell: ({ log, ...rest }) =>
      change((old) => ({ ...old, ...rest, log: log === undefined ? old.log : [...old.log, log] })),
    end: (state, detail, resume) =>
      change(({ cancel: _, ...old }) => ({
        ...old,
        state,
        endedMs: Date.now(),
        ...(detail === undefined ? {} : { detail, log: [...old.log, detail] }),
        ...(resume ? { resume } : {}),
      })),
  }
}

export function forgetTask(id: string): void {
  set(tasks.filter((task) => task.id !== id))
}

export function useOwnTasks(): readonly Task[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => tasks,
  )
}

export interface Bulk {
  readonly title: string
  readonly rows: readonly { readonly name: string; readonly does: () => Promise<unknown> }[]
}

/** Requests in flight at once: as many as a browser has connections, less some for the rest of the page. */
const BULK_WIDTH = 3

export function runBulk({ title, rows }: Bulk): void {
  let stopped = false
  const task = startTask({ title, cancel: () => (stopped = true) })
  let next = 0
  let done = 0
  let failed = 0
  const work = async () => {
    while (!stopped && next < rows.length) {
      const row = rows[next++]
      if (!row) return
      try {
        await row.does()
        task.tell({ log: row.name })
      } catch (error) {
        failed++
        task.tell({ log: `${row.name}: ${messageOf(error)}` })
      }
      done++
      task.tell({ progress: done / rows.length, detail: `${done} / ${rows.length}` })
    }
  }
  void Promise.all(Array.from({ length: BULK_WIDTH }, work)).then(() =>
    task.end(stopped ? 'stopped' : failed > 0 ? 'failed' : 'done', `${done - failed} / ${rows.length}`),
  )
}
