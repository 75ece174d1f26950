/** Input for messages: Enter sends, Shift+Enter starts a new line. */
import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { TextArea } from './field.tsx'

export interface ComposerProps {
  isRunning: boolean
  onSend(text: string): void
  onStop(): void
  /** Keep the text after sending. */
  keeps?: boolean
  /** Makes the component controlled. */
  text?: string
  onText?(text: string): void
}

export function Composer({ isRunning, onSend, onStop, keeps, text: given, onText }: ComposerProps) {
  const [own, setOwn] = useState('')
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
