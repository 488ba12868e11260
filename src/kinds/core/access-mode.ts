// Ways in which a volume can be mounted. The rules of claims and volumes check the word, because Kubernetes blames
// the list and not the item.
import { s, type Typed } from '../build.ts'

export type AccessMode = 'ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod'
export const accessMode = s.string() as Typed<AccessMode>
