// Fields of a ControllerRevision.
import { s } from '../build.ts'

export const controllerRevisionBody = s.object({
  data: s.anything('The state that is kept.'),
  revision: s.write(s.int64('Number of the state.')),
})
