// The memory store obeys the laws.
import { storeLaws } from './laws.test.ts'
import { memoryStore } from './memory.ts'

storeLaws('memory', async () => ({ store: memoryStore() }))
