/** Builds the view of a task from its events. */
import type { AgentEvent, Artifact, TimelineEntry, Part, TaskView } from './types.ts'

const MAX_ENTRIES = 500

function withEntry(task: TaskView, entry: Omit<TimelineEntry, 'number' | 'at'>): readonly TimelineEntry[] {
  const number = (task.timeline.at(-1)?.number ?? 0) + 1
  return [...task.timeline.slice(1 - MAX_ENTRIES), { ...entry, number, at: Date.now() }]
}

/** Adds the user's message. */
export function withMessage(task: TaskView, parts: readonly Part[]): TaskView {
  return { ...task, timeline: withEntry(task, { kind: 'you', title: 'You', parts }) }
}

export function withEvent(task: TaskView, event: AgentEvent): TaskView {
  switch (event.kind) {
    case 'message':
      return {
        ...task,
        contextId: event.message.contextId ?? task.contextId,
        timeline: withEntry(task, { kind: 'message', title: 'Direct response', parts: event.message.parts }),
      }
    case 'task': {
      const { id, contextId, status, artifacts } = event
      const next = { ...task, id, contextId, artifacts: artifacts.length > 0 ? artifacts : task.artifacts }
      const added = artifacts.filter(({ artifactId }) => !task.artifacts.some(known => known.artifactId === artifactId))
      const withAdded = added.reduce<TaskView>(
        (view, artifact) => ({
          ...view,
          timeline: withEntry(view, { kind: 'artifact', title: artifact.name, parts: artifact.parts }),
        }),
        next,
      )
      return withStatus(withAdded, status)
    }
    case 'status':
      return withStatus({ ...task, id: event.taskId, contextId: event.contextId || task.contextId }, event.status)
    case 'artifact': {
      const { artifact, append } = event
      return {
        ...task,
        artifacts: withArtifact(task.artifacts, artifact, append),
        timeline: withEntry(task, {
          kind: 'artifact',
          title: `${artifact.name}${append ? ', continued' : ''}${artifact.isComplete ? '' : ', more to come'}`,
          parts: artifact.parts,
        }),
      }
    }
  }
}

/** Skips a repeated status, such as after a subscription. */
function withStatus(
  task: TaskView,
  { state, message }: { state: string; message: { parts: readonly Part[] } | null },
): TaskView {
  const parts = message?.parts ?? []
  const last = task.timeline.findLast(({ kind }) => kind === 'status')
  const isKnown =
    task.state === state &&
    last !== undefined &&
    JSON.stringify(last.parts) === JSON.stringify(parts) &&
    task.timeline.at(-1)?.kind !== 'you'
  return isKnown ? task : { ...task, state, timeline: withEntry(task, { kind: 'status', state, title: state, parts }) }
}

function withArtifact(artifacts: readonly Artifact[], artifact: Artifact, append: boolean): readonly Artifact[] {
  const known = artifacts.find(({ artifactId }) => artifactId === artifact.artifactId)
  if (known === undefined) return [...artifacts, artifact]
  const joined = append
    ? {
        ...artifact,
        name: known.name,
        parts: joinedText([...known.parts, ...artifact.parts]),
        chunks: known.chunks + 1,
      }
    : artifact
  return artifacts.map(old => (old === known ? joined : old))
}

/** Joins chunks of text. */
function joinedText(parts: readonly Part[]): Part[] {
  return parts.reduce<Part[]>((list, part) => {
    const last = list.at(-1)
    if (last?.text !== undefined && part.text !== undefined && last.mediaType === part.mediaType)
      return [...list.slice(0, -1), { ...last, text: last.text + part.text }]
    return [...list, part]
  }, [])
}
