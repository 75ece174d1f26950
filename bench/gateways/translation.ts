/** The page about what gateways of models lose between two wires: one table for each, made of their reports. */

export interface TranslationReport {
  gateway: { name: string | null }
  run: { started_at: string }
  summary: { pairs?: readonly ReportedPair[] }
  results: readonly { id: string; group: string; pair: string | null; verdict: string | null }[]
}

interface ReportedPair {
  pair: string | null
  client: string
  upstream: string | null
  state: string
}

/** Verdicts that are findings, the worst first. */
const FINDINGS = ['fail', 'warn', 'flaky'] as const

const HEAD = `# What gateways of models lose

One table for each gateway of [the comparison](matrix.md#models): rows are what the client speaks, columns what arrives at the provider,
cells the number of checks of the group \`translate\` that fail, of all that were run for the pair. A dash: the gateway has no such pair.
Below the table, what fails in each pair; \`svc probe show <ID>\` explains a check. Made by the authors of svc with \`bench/gateways/run.ts\`.

\`chat\` is OpenAI chat completions, \`responses\` OpenAI Responses, \`messages\` Anthropic Messages, \`gemini\` generateContent, \`converse\` Bedrock
Converse, \`azure\` Azure OpenAI, and \`cohere\` Cohere Chat. What one of two wires cannot say does not count
(\`svc probe show TRN-PAIRS\` lists it).
`

/** The page; null without reports of gateways that translate. */
export function translationPage(reports: readonly TranslationReport[]): string | null {
  const parts = reports.flatMap(report => {
    const text = tableOf(report)
    return text === null ? [] : [text]
  })
  return parts.length === 0 ? null : `${HEAD}\n${parts.join('\n')}`
}

function tableOf({ gateway, run, summary, results }: TranslationReport): string | null {
  const tested = (summary.pairs ?? []).filter(({ state, pair }) => state === 'tested' && pair !== null)
  if (tested.length === 0) return null
  const clients = unique(tested.map(({ client }) => client))
  const upstreams = unique(tested.map(({ upstream }) => upstream!))
  const cell = (client: string, upstream: string): string => {
    const ofPair = judged(results, `${client}:${upstream}`)
    return ofPair.length === 0
      ? '–'
      : `${ofPair.filter(({ verdict }) => verdict === 'fail').length} of ${ofPair.length}`
  }
  const rows = [
    ['', ...upstreams],
    ['---', ...upstreams.map(() => '---')],
    ...clients.map(client => [client, ...upstreams.map(upstream => cell(client, upstream))]),
  ]
  const table = rows.map(row => `| ${row.join(' | ')} |`).join('\n')
  const lists = tested.map(({ client, upstream, pair }) => `- ${client} → ${upstream}: ${findingsOf(results, pair!)}`)
  return `## ${gateway.name ?? 'Unnamed'}, ${run.started_at.slice(0, 10)}\n\n${table}\n\n${lists.join('\n')}\n`
}

function judged(results: TranslationReport['results'], pair: string): TranslationReport['results'] {
  return results.filter(
    ({ group, pair: own, verdict }) => group === 'translate' && own === pair && verdict !== null && verdict !== 'skip',
  )
}

function findingsOf(results: TranslationReport['results'], pair: string): string {
  const found = judged(results, pair)
  const texts = FINDINGS.flatMap(wanted => {
    const ids = found.filter(({ verdict }) => verdict === wanted).map(({ id }) => id)
    return ids.length === 0 ? [] : [`${wanted} ${ids.join(', ')}`]
  })
  return texts.length === 0 ? 'nothing' : texts.join('; ')
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)]
}
