// The memory store obeys the laws.
import { storeLaws } from './laws.ts'
import { memoryStore } from './memory.ts'

storeLaws('memory', async () => ({ store: memoryStore() }))
