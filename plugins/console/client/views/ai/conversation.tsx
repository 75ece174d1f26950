/** The transcript: messages, tool calls and tool results. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatMs, formatNumber } from '../../lib/protocol/http.ts'
import { toCurl } from '../../lib/protocol/curl.ts'
import { Badge, StatusBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { TextArea } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { speedOf } from './run.ts'
import type { Run, ToolCall, ToolResult, Turn } from './types.ts'

export interface TranscriptProps {
  turns: readonly Turn[]
  selected: Run | null
  onSelect(run: Run): void
  /** Sends results for the tool calls of the last turn; absent: no results expected. */
  onResults?(results: ToolResult[]): void
}

export function Transcript({ turns, selected, onSelect, onResults }: TranscriptProps) {
  const end = useRef<HTMLDivElement>(null)
  const last = turns.at(-1)
  const { reply, state } = last?.role === 'assistant' ? last.run : { reply: null, state: null }
  // Scrolls only the transcript, not the page.
  useEffect(() => {
    const box = end.current?.parentElement
    if (box) box.scrollTop = box.scrollHeight
  }, [turns.length, reply?.text.length, state])
  return (
    <>
      <ol class="ai-turns">
        {turns.map((turn, at) => (
          <li key={at} class={`ai-turn ai-${turn.role}`}>
            {turn.role === 'user' && (
              <>
                <h3>You</h3>
                <p class="ai-text">{turn.text}</p>
              </>
            )}
            {turn.role === 'tool' && <ToolTurn results={turn.results} />}
            {turn.role === 'assistant' && (
              <AssistantTurn run={turn.run} isSelected={turn.run === selected} onSelect={() => onSelect(turn.run)} />
            )}
          </li>
        ))}
      </ol>
      {onResults && last?.role === 'assistant' && (
        <ToolResults key={turns.length} calls={last.run.reply.calls} onResults={onResults} />
      )}
      <div ref={end} />
    </>
  )
}

function AssistantTurn({ run, isSelected, onSelect }: { run: Run; isSelected: boolean; onSelect(): void }) {
  return (
    <>
      <h3>Model</h3>
      <RunView run={run} />
      <footer class="ai-facts">
        <RunFacts run={run} />
        <Button small kind="quiet" aria-pressed={isSelected} onClick={onSelect}>
          Details
        </Button>
      </footer>
    </>
  )
}

/** The reply so far, with errors. */
export function RunView({ run }: { run: Run }) {
  const {
    reply: { text, thinking, calls },
    state,
    error,
    sent,
  } = run
  return (
    <>
      {thinking !== '' && (
        <details class="ai-thinking">
          <summary>Reasoning</summary>
          <p class="ai-text">{thinking}</p>
        </details>
      )}
      {text !== '' && (
        <p class="ai-text">
          {text}
          {state === 'receiving' && <span class="ai-caret" aria-hidden="true" />}
        </p>
      )}
      {calls.map(call => (
        <CallView key={call.id} call={call} />
      ))}
      {(state === 'waiting' || (state === 'receiving' && text === '' && calls.length === 0)) && (
        <p class="loading" role="status">
          <span class="spinner" aria-hidden="true" />
          Waiting for the first token…
        </p>
      )}
      {state === 'done' && error === null && text === '' && calls.length === 0 && (
        <p class="quiet-text">The response has no text.</p>
      )}
      {error !== null && (
        <Notice
          kind={state === 'failed' ? 'bad' : 'info'}
          {...(sent?.response && !isGood(sent.response.status)
            ? { title: `The provider returned ${sent.response.status}` }
            : {})}
        >
          {error}
          <RetryAfter run={run} />
        </Notice>
      )}
      {state === 'failed' && sent !== null && sent.response === null && (
        <Code label="curl command" text={toCurl(sent)} wrap />
      )}
    </>
  )
}

function RetryAfter({ run }: { run: Run }) {
  const seconds = run.sent?.response?.headers.find(({ name }) => name === 'retry-after')?.value
  return seconds === undefined ? null : <span> Retry-After: {seconds} s.</span>
}

function isGood(status: number): boolean {
  return status >= 200 && status < 300
}

function CallView({ call }: { call: ToolCall }) {
  return (
    <div class="ai-call">
      <p>
        <Badge tone="info">tool call</Badge> <strong class="mono">{call.name}</strong>
      </p>
      <code>{call.args || '{}'}</code>
    </div>
  )
}

function ToolTurn({ results }: { results: readonly ToolResult[] }) {
  return (
    <>
      <h3>Tools</h3>
      {results.map(({ call, content }) => (
        <div key={call.id} class="ai-call">
          <p>
            <Badge tone="good">result</Badge> <strong class="mono">{call.name}</strong>
          </p>
          <code>{content}</code>
        </div>
      ))}
    </>
  )
}

/** Status, times and counts of a run. */
export function RunFacts({ run }: { run: Run }) {
  const {
    sent,
    firstTokenMs,
    ms,
    reply: { usage, finish },
    state,
  } = run
  const speed = speedOf(run)
  const violated = sent?.response?.headers.find(({ name }) => name === 'x-svc-violations')
  return (
    <>
      {sent?.response && <StatusBadge status={sent.response.status} />}
      {violated !== undefined && (
        <Badge tone="warn" title={`A real vendor would have refused this: ${violated.value}`}>
          violation
        </Badge>
      )}
      {finish !== null && <Badge>{finish}</Badge>}
      {firstTokenMs !== null && (
        <span title="Time from the request to the first token">first token {formatMs(firstTokenMs)}</span>
      )}
      {state !== 'waiting' && <span title="Time from the request to the last byte">{formatMs(ms)}</span>}
      {usage !== null && (
        <span title="Token usage as reported by the provider">
          {formatNumber(usage.input)} in, {formatNumber(usage.output)} out
        </span>
      )}
      {speed?.perSecond != null && (
        <span title="Output tokens per second, from the first token to the end">
          {formatRate(speed.perSecond)} tokens/s
        </span>
      )}
      {sent?.gateway && <Badge tone="accent">through {sent.gateway}</Badge>}
    </>
  )
}

export function formatRate(perSecond: number): string {
  return perSecond < 10 ? perSecond.toFixed(1) : formatNumber(Math.round(perSecond))
}

/** Sample result of a demo tool. */
const SAMPLE_RESULT = JSON.stringify({ ok: true, temperature: 21, conditions: 'sunny' })

function ToolResults({ calls, onResults }: { calls: readonly ToolCall[]; onResults(results: ToolResult[]): void }) {
  const [contents, setContents] = useState(() => calls.map(() => SAMPLE_RESULT))
  return (
    <form
      class="ai-results stack"
      onSubmit={event => {
        event.preventDefault()
        onResults(calls.map((call, at) => ({ call, content: contents[at]! })))
      }}
    >
      {calls.map((call, at) => (
        <TextArea
          key={call.id}
          mono
          rows={2}
          label={`Result of ${call.name}`}
          value={contents[at]!}
          onValue={text => setContents(contents.map((old, index) => (index === at ? text : old)))}
        />
      ))}
      <div class="actions">
        <Button small kind="primary" type="submit" icon="send">
          Send results
        </Button>
      </div>
    </form>
  )
}
