/** Modal dialogs with the `<dialog>` element, which keeps the focus inside. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Button } from './button.tsx'

export interface DialogProps {
  title: string
  onClose(): void
  children: ComponentChildren
  /** Buttons in the footer. */
  actions?: ComponentChildren
  wide?: boolean
  class?: string
}

/** A modal dialog, open while rendered. */
export function Dialog({ title, onClose, children, actions, wide, class: extra }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current!
    const opener = document.activeElement
    dialog.showModal()
    return () => {
      dialog.close()
      // The browser does not restore the focus if a modal element is removed.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      class={`dialog ${wide ? 'wide' : ''} ${extra ?? ''}`}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
      onMouseDown={event => {
        if (event.target === ref.current) onClose()
      }}
    >
      <div class="dialog-frame">
        <header>
          <h2 id={id}>{title}</h2>
          <Button kind="quiet" icon="close" iconOnly onClick={onClose}>
            Close
          </Button>
        </header>
        <div class="dialog-body">{children}</div>
        {actions && <footer>{actions}</footer>}
      </div>
    </dialog>
  )
}
