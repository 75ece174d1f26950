/** Modal dialogs with the `<dialog>` element, which keeps the focus inside. */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { controlInUse, returnFocus } from '../lib/shell/focus.ts'
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
  // Before the browser paints: a later effect would read the focus after the opener may have lost it.
  useLayoutEffect(() => {
    const dialog = ref.current!
    const opener = controlInUse()
    dialog.showModal()
    return () => {
      dialog.close()
      // The browser does not restore the focus if a modal element is removed.
      returnFocus(opener)
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
      // Without a click since the last dialog, browsers close a dialog on Escape and ignore `preventDefault`.
      onClose={event => {
        if (event.target === event.currentTarget && event.currentTarget.isConnected) onClose()
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
