/** What the mock LLM counted: the figures of `/ai/usage`, and the streams that ended early. */
import { effect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { callJson } from '../../lib/instance/api.ts'
import { instanceBase, page } from '../../lib/instance/page.ts'
import { useLoad, type Loaded } from '../../lib/shell/hooks.ts'
import { settings } from '../../lib/shell/storage.ts'
import { openFeed } from '../../lib/traffic/feed.ts'
import { LiveEntries } from '../../lib/traffic/live-entries.ts'
import { followOpenAnswers } from '../../lib/traffic/open-answers.ts'

export interface Figures {
  requests: number
  errors: number
  limited: number
  retries: number
  streams_cut: number
  prompt_tokens: number
  cached_tokens: number
  completion_tokens: number
  /** Null: no model of these calls has a price. */
  cost: number | null
}

export interface UsageRow extends Figures {
  provider?: string
  model?: string | null
  key?: string
  key_id?: string
  session?: string
}

export interface Usage {
  currency: string
  open_streams: number
  totals: Figures
  rows: UsageRow[]
}

/** A stream that ended before its last token. */
export interface CutCall {
  id: string
  at: string
  provider: string
  model: string | null
  request_id: string
  cut: { after_tokens: number; of_tokens: number; after_events: number; by: 'client' | 'fault' | 'server' }
}

export type Grouping = 'provider,model' | 'key' | 'session'

const MAX_ROWS = 100
/** Calls among which cut streams are searched, and how many of those are shown. */
const SEARCHED_CALLS = 500
const MAX_CUT = 10
/** Several calls that end together cause one request. */
const SETTLE_MS = 300

/** Loads the figures now, and again after each call that the instance captured. */
export function useUsage(grouping: Grouping): Loaded<{ usage: Usage; cut: CutCall[] }> {
  const loaded = useLoad(signal => load(grouping, signal), [grouping, settings.value.session])
  const { reload } = loaded
  useEffect(() => {
    // A stream is counted when it is over, so open ones are followed to their end.
    const calls = new LiveEntries({ isAnnounced: false })
    const feed = openFeed({ pathPrefix: '/ai', isFromNow: true, onEntries: entries => calls.push(entries) })
    const stopFollowing = followOpenAnswers(calls)
    let timer: ReturnType<typeof setTimeout> | undefined
    const dispose = effect(() => {
      if (calls.entries.value.length === 0) return
      timer ??= setTimeout(() => {
        timer = undefined
        void reload()
      }, SETTLE_MS)
    })
    return () => {
      dispose()
      clearTimeout(timer)
      stopFollowing()
      feed.stop()
    }
  }, [])
  return loaded
}

async function load(grouping: Grouping, signal: AbortSignal): Promise<{ usage: Usage; cut: CutCall[] }> {
  const usage = await callJson<Usage>(`ai/usage?group=${grouping}&limit=${MAX_ROWS}`, { signal })
  if (usage.totals.streams_cut === 0) return { usage, cut: [] }
  const { calls } = await callJson<{ calls: (Omit<CutCall, 'cut'> & { cut: CutCall['cut'] | null })[] }>(
    `ai/usage/calls?limit=${SEARCHED_CALLS}`,
    { signal },
  )
  return { usage, cut: calls.filter((call): call is CutCall => call.cut !== null).slice(0, MAX_CUT) }
}

/** A link cannot send the session in a header, and in public mode clients see only their own session. */
export function csvUrl(grouping: Grouping): string {
  const { session } = settings.value
  const prefix = page.isPublic && session !== '' ? `s/${encodeURIComponent(session)}/` : ''
  return `${instanceBase}${prefix}ai/usage.csv?group=${grouping}`
}
