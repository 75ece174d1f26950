/** A task: its state, timeline and artifacts, and the input it waits for. */
import { instanceBase } from '../../lib/instance/page.ts'
import { toCurl } from '../../lib/protocol/curl.ts'
import { formatTime } from '../../lib/protocol/http.ts'
import { useAction } from '../../lib/shell/hooks.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { TryCommand } from '../../ui/code.tsx'
import { Empty, Loading, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import { Parts } from './parts.tsx'
import { isTerminal, type Artifact, type AgentTarget, type TimelineEntry, type State } from './types.ts'
import type { TaskHandle } from './use-task.ts'

const TONES: Record<string, Tone> = {
  completed: 'good',
  failed: 'bad',
  rejected: 'bad',
  canceled: 'warn',
  'input-required': 'warn',
  'auth-required': 'warn',
}

export function StateBadge({ state }: { state: State }) {
  return <Badge tone={TONES[state] ?? 'info'}>{state}</Badge>
}

function sendFromShell(agent: string, text: string): string {
  return toCurl({
    method: 'POST',
    url: `${instanceBase}a2a/${agent}/v1/message:send`,
    headers: [{ name: 'A2A-Version', value: '1.0' }],
    body: JSON.stringify({ message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text }] } }),
  })
}

export function TaskPanel({
  handle,
  target,
  onToken,
  example,
}: {
  handle: TaskHandle
  target: AgentTarget
  onToken(): Promise<void>
  /** A message that the agent understands. */
  example: string
}) {
  const { task, isRunning, error } = handle
  const canEnd = task.id !== null && !isTerminal(task.state)
  return (
    <Panel
      title="Task"
      actions={
        task.timeline.length > 0 && (
          <>
            {task.id !== null && (
              <Button small icon="replay" onClick={() => void handle.refresh(target)}>
                Refresh
              </Button>
            )}
            {canEnd && !isRunning && (
              <Button small icon="play" onClick={() => void handle.subscribe(target)}>
                Subscribe
              </Button>
            )}
            {canEnd && (
              <Button small kind="danger" icon="stop" onClick={() => void handle.cancel(target)}>
                Cancel task
              </Button>
            )}
            <Button small icon="trash" onClick={handle.clear}>
              Clear
            </Button>
          </>
        )
      }
    >
      {error !== null && <Notice kind="bad">{error}</Notice>}
      {task.timeline.length === 0 && error === null && (
        <Empty title="No task yet">
          <p>Send a message to follow its task here step by step.</p>
          <p>Or send one from a shell:</p>
          <TryCommand command={sendFromShell(target.agent, example)} />
        </Empty>
      )}
      {task.timeline.length > 0 && (
        <>
          <p class="a2a-head">
            {task.state !== null && <StateBadge state={task.state} />}
            {task.id !== null && (
              <span>
                task <code>{task.id}</code>
              </span>
            )}
            {task.contextId !== null && (
              <span>
                context <code>{task.contextId}</code>
              </span>
            )}
          </p>
          {task.state === 'input-required' && !isRunning && (
            <Notice kind="warn" title="The agent is waiting for input">
              Your next message continues this task.
            </Notice>
          )}
          {task.state === 'auth-required' && !isRunning && <TokenNotice onToken={onToken} />}
          <ol class="a2a-timeline" aria-label="Timeline">
            {task.timeline.map(entry => (
              <TimelineEntryView key={entry.number} entry={entry} />
            ))}
          </ol>
          {isRunning && <Loading what="The agent is working" />}
          {task.artifacts.length > 0 && (
            <section class="stack">
              <h3>
                Artifacts <span class="quiet-text">{task.artifacts.length}</span>
              </h3>
              {task.artifacts.map(artifact => (
                <ArtifactView key={artifact.artifactId} artifact={artifact} />
              ))}
            </section>
          )}
        </>
      )}
    </Panel>
  )
}

function TokenNotice({ onToken }: { onToken(): Promise<void> }) {
  const get = useAction(onToken)
  return (
    <Notice
      kind="warn"
      title="The agent requires a token"
      actions={
        <Button small kind="primary" icon="play" busy={get.isRunning} onClick={() => void get.run()}>
          Get a token and continue
        </Button>
      }
    >
      {get.error ?? 'The demo client gets a token with client credentials, and the task continues with it.'}
    </Notice>
  )
}

function TimelineEntryView({ entry: { at, kind, state, title, parts } }: { entry: TimelineEntry }) {
  return (
    <li class={`a2a-entry a2a-${kind}`}>
      <p class="a2a-when">
        <span class="number quiet-text">{formatTime(new Date(at).toISOString())}</span>{' '}
        {kind === 'status' ? (
          <StateBadge state={state!} />
        ) : (
          <strong>{kind === 'artifact' ? `Artifact ${title}` : title}</strong>
        )}
      </p>
      {kind === 'artifact' ? <p class="quiet-text">{summary(parts)}</p> : <Parts parts={parts} />}
    </li>
  )
}

/** A short description of the parts; the artifacts are shown in full below the timeline. */
function summary(parts: TimelineEntry['parts']): string {
  return parts
    .map(({ text, data, raw, url, filename, mediaType }) =>
      text !== undefined
        ? text.slice(0, 120)
        : data !== undefined
          ? 'data'
          : (filename ?? mediaType ?? (raw === undefined ? (url ?? 'nothing') : 'bytes')),
    )
    .join(', ')
}

function ArtifactView({ artifact: { name, artifactId, parts, chunks, isComplete } }: { artifact: Artifact }) {
  return (
    <article class="a2a-artifact" aria-label={`Artifact ${name}`}>
      <p class="actions">
        <strong>{name}</strong>
        {name !== artifactId && <code>{artifactId}</code>}
        {chunks > 1 && <Badge>{chunks} chunks</Badge>}
        {!isComplete && <Badge tone="warn">incomplete</Badge>}
      </p>
      <Parts parts={parts} />
    </article>
  )
}
