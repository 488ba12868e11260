// Fields of a Binding.
import { s } from '../build.ts'
import { objectReference } from './references.ts'

export const bindingBody = s.object({
  target: s.write(s.doc(objectReference, 'Node that the Pod is bound to.')),
})
