/** A conversation with one model, and its requests in detail. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Composer } from '../../ui/composer.tsx'
import { Empty, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import { Transcript } from './conversation.tsx'
import { Details } from './details.tsx'
import { NOT_STARTED, perform } from './run.ts'
import { problemOf, type Prepared, type Setup } from './setup.ts'
import type { Run, Turn } from './types.ts'

export interface ChatProps {
  /** The first message, to send with one key press; empty: none. */
  prompt: string
  setup: Setup
  /** The request for these turns; throws if the setup is invalid. */
  prepare(turns: readonly Turn[]): Prepared
  /** The same request as SDK code. */
  code(turns: readonly Turn[]): string
}

export function Chat({ prompt, setup, prepare, code }: ChatProps) {
  const [turns, setTurns] = useState<readonly Turn[]>([])
  const [selectedAt, setSelectedAt] = useState<number | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  const last = turns.at(-1)
  const isRunning = last?.role === 'assistant' && (last.run.state === 'waiting' || last.run.state === 'receiving')
  const selected = turns[selectedAt ?? turns.length - 1]
  const run = selected?.role === 'assistant' ? selected.run : null
  const waitsForResults = last?.role === 'assistant' && last.run.state === 'done' && last.run.reply.calls.length > 0

  function submit(next: readonly Turn[]): void {
    let prepared: Prepared
    try {
      prepared = prepare(next)
    } catch (error) {
      setProblem((error as Error).message)
      return
    }
    const found = problemOf(setup)
    setProblem(found)
    if (found !== null) return
    const controller = new AbortController()
    running.current = controller
    setSelectedAt(null)
    const show = (changed: Run) => {
      if (running.current === controller) setTurns([...next, { role: 'assistant', run: changed }])
    }
    show(NOT_STARTED)
    void perform({ ...prepared.request, signal: controller.signal }, prepared.format, show)
  }

  /** The turns without a failed response, to try again. */
  const history = last?.role === 'assistant' && last.run.state === 'failed' ? turns.slice(0, -1) : turns
  const clear = () => {
    running.current?.abort()
    running.current = null
    setTurns([])
    setProblem(null)
  }

  return (
    <>
      <Panel
        title="Conversation"
        class="ai-conversation"
        actions={
          <>
            {last?.role === 'assistant' && last.run.state === 'failed' && (
              <Button small icon="replay" onClick={() => submit(history)}>
                Try again
              </Button>
            )}
            {turns.length > 0 && (
              <Button small icon="trash" onClick={clear}>
                Clear
              </Button>
            )}
          </>
        }
      >
        <div class="ai-scroll" tabIndex={0} role="group" aria-label="Transcript">
          {turns.length === 0 ? (
            <Empty title="Ask something">
              <p>
                The mock models follow fixed rules, so you can repeat every response. Try <q>Write a long essay</q>, or
                offer tools and ask for the <q>weather in Paris</q>.
              </p>
            </Empty>
          ) : (
            <Transcript
              turns={turns}
              selected={run}
              onSelect={chosen =>
                setSelectedAt(turns.findIndex(turn => turn.role === 'assistant' && turn.run === chosen))
              }
              {...(waitsForResults ? { onResults: results => submit([...turns, { role: 'tool', results }]) } : {})}
            />
          )}
        </div>
        {problem !== null && <Notice kind="bad">{problem}</Notice>}
        <Composer
          initialText={prompt}
          isRunning={isRunning}
          onStop={() => running.current?.abort()}
          onSend={text => submit([...withoutUnanswered(history), { role: 'user', text }])}
        />
      </Panel>
      <Panel title="Request" class="ai-details">
        <Details run={run} code={() => code(turnsBefore(turns, selected))} />
      </Panel>
    </>
  )
}

/** Drops tool calls without results, since every wire format requires a result for each call. */
function withoutUnanswered(turns: readonly Turn[]): readonly Turn[] {
  const last = turns.at(-1)
  return last?.role === 'assistant' && last.run.reply.calls.length > 0 ? turns.slice(0, -1) : turns
}

function turnsBefore(turns: readonly Turn[], turn: Turn | undefined): readonly Turn[] {
  return turn === undefined ? [{ role: 'user', text: 'Hello!' }] : turns.slice(0, turns.indexOf(turn))
}
