/** Compares a reply as the upstream sent it with the one that came back. */
import { USAGE_KEYS, type Difference, type Reply, type ReplyLimit, type Usage } from '../types.ts'
import { Collector, type Scope } from './collector.ts'
import { compareParts, type CallIds } from './parts.ts'

/** `ids`: of calls, filled in. */
export function compareReplies(sent: Reply, got: Reply, scope: Scope, ids: CallIds = new Map()): Difference[] {
  const differences = new Collector(scope)
  compareParts(sent.parts, got.parts, '/parts', 'assistant', { differences, ids })
  compareFinish(sent, got, differences)
  compareUsage(sent.usage, got.usage, differences)
  return differences.found
}

function compareFinish(sent: Reply, got: Reply, differences: Collector): void {
  const { from, to } = differences.scope
  const has = (limit: ReplyLimit): boolean => to.reply.has(limit)
  if (sent.finish !== got.finish) {
    const [before, after] = [sent.finish, got.finish]
    const stands = (word: string | null): boolean => word === 'refusal' || word === 'filter'
    const hasOne = [from, to].some(({ reply }) => reply.has('refusal') || reply.has('filter'))
    const isStop = before === 'stop_sequence' && after === 'stop' && has('stop-sequence-reason')
    if (!(hasOne && stands(before) && stands(after))) {
      if (after === null) differences.lost('/finish', before)
      else if (before === null) differences.added('/finish', after)
      else differences.changed('/finish', before, after, isStop)
    }
  }
  if (sent.stop_sequence === got.stop_sequence) return
  if (got.stop_sequence === null) differences.lost('/stop_sequence', sent.stop_sequence, has('stop-sequence'))
  else if (sent.stop_sequence === null) differences.added('/stop_sequence', got.stop_sequence)
  else differences.changed('/stop_sequence', sent.stop_sequence, got.stop_sequence)
}

const LIMITS: Partial<Record<keyof Usage, ReplyLimit>> = {
  cached: 'cached',
  write: 'write',
  write_1h: 'write-1h',
  reasoning: 'reasoning',
}

function compareUsage(sent: Usage | null, got: Usage | null, differences: Collector): void {
  if (sent === null) {
    if (got !== null) differences.added('/usage', got)
    return
  }
  if (got === null) return differences.lost('/usage', sent)
  for (const key of USAGE_KEYS) {
    const [before, after] = [sent[key], got[key]]
    const limit = LIMITS[key]
    if (before === after) continue
    if (before === null) {
      if (after !== 0) differences.added(`/usage/${key}`, after)
    } else if (after === null) {
      const isUnavoidable = limit !== undefined && differences.scope.to.reply.has(limit)
      // Where a wire has a figure, its absence means 0.
      if (before !== 0) differences.lost(`/usage/${key}`, before, isUnavoidable)
    } else differences.changed(`/usage/${key}`, before, after)
  }
}
