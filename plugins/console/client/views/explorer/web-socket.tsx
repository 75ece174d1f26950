/** A WebSocket endpoint: connect, send, and a log of both directions. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { urlAt } from '../../lib/instance/gateway.ts'
import { formatMs, headerOf } from '../../lib/protocol/http.ts'
import type { Gateway } from '../../lib/shell/storage.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import type { Example } from './draft.ts'

interface Message {
  number: number
  ms: number
  from: 'console' | 'server' | 'socket'
  text: string
}

const MAX_MESSAGES = 500

export function WebSocketTry({
  example,
  path: given,
  gateway,
}: {
  example: Example | undefined
  path: string
  gateway: Gateway | null
}) {
  const [path, setPath] = useState(given)
  const [protocols, setProtocols] = useState(headerOf(example?.headers ?? [], 'sec-websocket-protocol') ?? '')
  const [text, setText] = useState('hello')
  const { messages, isOpen, isOpening, connect, sendText, close } = useSocket()

  return (
    <>
      <div class="explorer-socket">
        <TextField mono label="Path" value={path} onValue={setPath} disabled={isOpen} />
        <TextField
          mono
          label="Subprotocols"
          placeholder="none"
          value={protocols}
          onValue={setProtocols}
          disabled={isOpen}
        />
        {isOpen || isOpening ? (
          <Button icon="stop" onClick={close}>
            Disconnect
          </Button>
        ) : (
          <Button
            kind="primary"
            icon="play"
            onClick={() =>
              connect(
                urlAt(path, gateway).replace(/^http/, 'ws'),
                protocols
                  .split(',')
                  .map(name => name.trim())
                  .filter(Boolean),
              )
            }
          >
            Connect
          </Button>
        )}
      </div>
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault()
          sendText(text)
        }}
      >
        <TextArea mono label="Message" rows={3} value={text} onValue={setText} />
        <div class="actions">
          <Button type="submit" icon="send" disabled={!isOpen}>
            Send
          </Button>
        </div>
      </form>
      <Panel title="Response">
        {messages.length === 0 ? (
          <Notice>Connect to see the messages of both directions here.</Notice>
        ) : (
          <div class="explorer-log" role="log" aria-label="Messages" tabIndex={0}>
            {messages.map(({ number, ms, from, text: message }) => (
              <div key={number} class={`from-${from}`}>
                <span class="quiet-text">{formatMs(ms)}</span>
                <span>{from === 'console' ? 'sent' : from === 'server' ? 'received' : ''}</span>
                <code>{message}</code>
              </div>
            ))}
          </div>
        )}
      </Panel>
    </>
  )
}

function useSocket() {
  const socket = useRef<WebSocket | null>(null)
  const [state, setState] = useState<'closed' | 'opening' | 'open'>('closed')
  const [messages, setMessages] = useState<Message[]>([])
  useEffect(() => () => socket.current?.close(), [])

  function connect(url: string, protocols: string[]): void {
    socket.current?.close()
    const startedAt = performance.now()
    let number = 0
    const note = (from: Message['from'], text: string) =>
      setMessages(known => [
        ...known.slice(1 - MAX_MESSAGES),
        { number: ++number, ms: performance.now() - startedAt, from, text },
      ])
    setMessages([])
    let opened: WebSocket
    try {
      opened = new WebSocket(url, protocols)
    } catch (error) {
      note('socket', `The browser rejected the connection: ${error instanceof Error ? error.message : String(error)}`)
      return
    }
    socket.current = opened
    setState('opening')
    opened.onopen = () => {
      setState('open')
      note('socket', `open${opened.protocol === '' ? '' : `, subprotocol ${opened.protocol}`}`)
    }
    opened.onmessage = ({ data }) => note('server', typeof data === 'string' ? data : `${(data as Blob).size} bytes`)
    opened.onclose = ({ code, reason }) => {
      note('socket', `closed with code ${code}${reason === '' ? '' : `: ${reason}`}`)
      if (socket.current === opened) setState('closed')
    }
    send.current = text => {
      opened.send(text)
      note('console', text)
    }
  }

  const send = useRef<(text: string) => void>(() => {})
  return {
    messages,
    isOpen: state === 'open',
    isOpening: state === 'opening',
    connect,
    sendText: (text: string) => send.current(text),
    close: () => socket.current?.close(1000, 'done'),
  }
}
