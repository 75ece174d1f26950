/** Where messages are written: Enter sends, Shift and Enter begin a line. */
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'

export interface ComposerProps {
  isRunning: boolean
  onSend(text: string): void
  onStop(): void
  /** The text stays after sending. */
  keeps?: boolean
}

export function Composer({ isRunning, onSend, onStop, keeps }: ComposerProps) {
  const [text, setText] = useState('')
  const isEmpty = text.trim() === ''
  function submit(): void {
    if (isEmpty || isRunning) return
    onSend(text)
    if (!keeps) setText('')
  }
  return (
    <form class="ai-composer" onSubmit={event => {
      event.preventDefault()
      submit()
    }}>
      <TextArea label="Message" rows={2} value={text} onValue={setText} placeholder="Enter sends, Shift+Enter begins a line" onKeyDown={event => {
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
        event.preventDefault()
        submit()
      }} />
      {isRunning
        ? <Button icon="stop" onClick={onStop}>Stop</Button>
        : <Button kind="primary" type="submit" icon="send" disabled={isEmpty}>Send</Button>}
    </form>
  )
}
