// What the server said no with, whole.
import type { ApiFailure } from '../data/api.ts'

export function Refusal({ failure }: { readonly failure: ApiFailure }) {
  return (
    <div className="in">
      <div className="note bad" role="alert">
        {failure.message}
      </div>
    </div>
  )
}
