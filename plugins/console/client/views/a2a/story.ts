/** A task as it becomes, event by event. */
import type { AgentEvent, Artifact, Moment, Part, TaskView } from './types.ts'

const MAX_MOMENTS = 500

function told(task: TaskView, moment: Omit<Moment, 'number' | 'at'>): readonly Moment[] {
  const number = (task.moments.at(-1)?.number ?? 0) + 1
  return [...task.moments.slice(1 - MAX_MOMENTS), { ...moment, number, at: Date.now() }]
}

/** What the person said; a new task begins a new story. */
export function withMessage(task: TaskView, parts: readonly Part[]): TaskView {
  return { ...task, moments: told(task, { kind: 'you', title: 'You', parts }) }
}

export function withEvent(task: TaskView, event: AgentEvent): TaskView {
  switch (event.kind) {
    case 'message':
      return {
        ...task,
        contextId: event.message.contextId ?? task.contextId,
        moments: told(task, { kind: 'message', title: 'The agent answers directly', parts: event.message.parts }),
      }
    case 'task': {
      const { id, contextId, status, artifacts } = event
      const next = { ...task, id, contextId, artifacts: artifacts.length > 0 ? artifacts : task.artifacts }
      const news = artifacts.filter(({ artifactId }) => !task.artifacts.some(known => known.artifactId === artifactId))
      const withNews = news.reduce<TaskView>(
        (story, artifact) => ({
          ...story,
          moments: told(story, { kind: 'artifact', title: artifact.name, parts: artifact.parts }),
        }),
        next,
      )
      return withStatus(withNews, status)
    }
    case 'status':
      return withStatus({ ...task, id: event.taskId, contextId: event.contextId || task.contextId }, event.status)
    case 'artifact': {
      const { artifact, append } = event
      return {
        ...task,
        artifacts: withArtifact(task.artifacts, artifact, append),
        moments: told(task, {
          kind: 'artifact',
          title: `${artifact.name}${append ? ', continued' : ''}${artifact.isComplete ? '' : ', more to come'}`,
          parts: artifact.parts,
        }),
      }
    }
  }
}

/** The same status told again, as after a subscription, is no news. */
function withStatus(
  task: TaskView,
  { state, message }: { state: string; message: { parts: readonly Part[] } | null },
): TaskView {
  const parts = message?.parts ?? []
  const last = task.moments.findLast(({ kind }) => kind === 'status')
  const isKnown =
    task.state === state &&
    last !== undefined &&
    JSON.stringify(last.parts) === JSON.stringify(parts) &&
    task.moments.at(-1)?.kind !== 'you'
  return isKnown ? task : { ...task, state, moments: told(task, { kind: 'status', state, title: state, parts }) }
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

/** Chunks of text read as one text. */
function joinedText(parts: readonly Part[]): Part[] {
  return parts.reduce<Part[]>((list, part) => {
    const last = list.at(-1)
    if (last?.text !== undefined && part.text !== undefined && last.mediaType === part.mediaType)
      return [...list.slice(0, -1), { ...last, text: last.text + part.text }]
    return [...list, part]
  }, [])
}
