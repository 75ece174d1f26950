/** Input for messages: Enter sends, Shift+Enter starts a new line. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { TextArea } from './field.tsx'

export interface ComposerProps {
  isRunning: boolean
  onSend(text: string): void
  onStop(): void
  /** The first text; with one, the field has the focus, so that Enter sends it. */
  initialText?: string
  /** Keep the text after sending. */
  keeps?: boolean
  /** Makes the component controlled. */
  text?: string
  onText?(text: string): void
}

export function Composer({ isRunning, onSend, onStop, initialText = '', keeps, text: given, onText }: ComposerProps) {
  const form = useRef<HTMLFormElement>(null)
  const [own, setOwn] = useState(initialText)
  useEffect(() => {
    if (initialText !== '') form.current!.querySelector('textarea')!.focus({ preventScroll: true })
  }, [])
  const text = given ?? own
  const setText = onText ?? setOwn
  const isEmpty = text.trim() === ''
  function submit(): void {
    if (isEmpty || isRunning) return
    onSend(text)
    if (!keeps) setText('')
  }
  return (
    <form
      ref={form}
      class="composer"
      onSubmit={event => {
        event.preventDefault()
        submit()
      }}
    >
      <TextArea
        label="Message"
        rows={2}
        value={text}
        onValue={setText}
        placeholder="Enter to send, Shift+Enter for a new line"
        onKeyDown={event => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          submit()
        }}
      />
      {isRunning ? (
        <Button icon="stop" onClick={onStop}>
          Stop
        </Button>
      ) : (
        <Button kind="primary" type="submit" icon="send" disabled={isEmpty}>
          Send
        </Button>
      )}
    </form>
  )
}
