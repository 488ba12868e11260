// The one state that a project is shown with.
import type { Language } from '../../../../src/words/say.ts'
import type { Shown } from '../../data/machine-state.ts'
import { sayUi } from '../../words/say.ts'
import type { Project } from '../kit/places.ts'

export function projectState(language: Language, { metadata, status }: Project): Shown {
  if (metadata.deletionTimestamp || status?.phase === 'Terminating') {
    const stuck = status?.conditions?.find((one) => one.status === 'True' && one.message)
    return {
      tone: 'busy',
      word: sayUi(language, 'projects.state.ending'),
      ...(stuck?.message ? { message: stuck.message } : {}),
    }
  }
  return { tone: 'ok', word: sayUi(language, 'projects.state.active') }
}
