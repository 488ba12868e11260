// A dialog over the page; Escape and a press beside it close it, and the focus goes back to where it was.
import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'

export interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  /** For dialogs in which a slip would cost something. */
  readonly isGrave?: boolean
  readonly children: ReactNode
}

export function Dialog({ title, isOpen, onClose, isGrave = false, children }: DialogProps) {
  return (
    <ModalOverlay
      className="overlay"
      isOpen={isOpen}
      isDismissable={!isGrave}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
    >
      <Modal className="dialog-frame">
        <AriaDialog className="dialog" role={isGrave ? 'alertdialog' : 'dialog'}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
