/** Reads the ledger of the mock LLM. */

export interface UsageRow {
  provider?: string
  model?: string | null
  requests: number
  ok: number
  errors: number
  limited: number
  faults: number
  retries: number
  streams: number
  streams_cut: number
  prompt_tokens: number
  cached_tokens: number
  cache_write_tokens: number
  completion_tokens: number
  reasoning_tokens: number
  total_tokens: number
  cost: number | null
  unpriced: number
  [group: string]: unknown
}

export interface Usage {
  group: string[]
  currency: string
  open_streams: number
  dropped: number
  totals: UsageRow
  rows: UsageRow[]
}

export interface UsageCall {
  id: string
  request_id: string
  attempt: number
  status: number
  cut: null | { after_tokens: number; of_tokens: number; after_events: number; by: string }
  [field: string]: unknown
}

export async function readUsage(url: string, query = '', headers: Record<string, string> = {}): Promise<Usage> {
  return (await (await fetch(`${url}/ai/usage${query}`, { headers })).json()) as Usage
}

/** The ledger once no stream is open. */
export async function settledUsage(url: string, query = ''): Promise<Usage> {
  for (;;) {
    const usage = await readUsage(url, query)
    if (usage.open_streams === 0) return usage
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

export async function usageCalls(url: string, query = ''): Promise<UsageCall[]> {
  return ((await (await fetch(`${url}/ai/usage/calls${query}`)).json()) as { calls: UsageCall[] }).calls
}
