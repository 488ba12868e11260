// A form in a dialog: what is refused beside its fields stands above its buttons.
import { LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { useWords } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import type { Form } from './use-form.ts'

export interface FormDialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  /** Made anew each time it opens, so that nothing of the last time is left. */
  readonly children: ReactNode
}

export function FormDialog({ title, isOpen, onClose, children }: FormDialogProps) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} isGrave>
      {children}
    </Dialog>
  )
}

export interface FormBodyProps<V> {
  readonly form: Form<V>
  readonly doIt: string
  readonly onClose: () => void
  readonly isDanger?: boolean
  readonly children: ReactNode
}

export function FormBody<V>({ form, doIt, onClose, isDanger = false, children }: FormBodyProps<V>) {
  const { t } = useWords()
  return (
    <form className="stack" noValidate onSubmit={form.submit}>
      {children}
      {form.elsewhere && (
        <p className="refusal" role="alert">
          {form.elsewhere}
        </p>
      )}
      <div className="dialog-end">
        <Button onPress={onClose}>{t('app.cancel')}</Button>
        <Button type="submit" kind={isDanger ? 'danger' : 'primary'}>
          {form.busy && <LoaderCircle className="icon" aria-hidden />}
          {doIt}
        </Button>
      </div>
    </form>
  )
}
