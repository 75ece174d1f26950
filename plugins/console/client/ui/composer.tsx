/** Where messages are written: Enter sends, Shift and Enter begin a line. */
import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { TextArea } from './field.tsx'

export interface ComposerProps {
  isRunning: boolean
  onSend(text: string): void
  onStop(): void
  /** The text stays after sending. */
  keeps?: boolean
  /** Given: the text is the caller's. */
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
        placeholder="Enter sends, Shift+Enter begins a line"
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
