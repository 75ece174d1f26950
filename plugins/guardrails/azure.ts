/** Azure AI Content Safety: text analysis and Prompt Shields. */
import type { Blocklist } from './azure-blocklists.ts'
import { codePointLength } from './code-points.ts'
import { harmMatches, highestSeverity, matchesOf } from './findings.ts'
import { azureError } from './errors.ts'
import { TermAutomaton } from './term-automaton.ts'
import { BLOCKLIST } from './terms.ts'
import type { DetectorRegistry } from './types.ts'

export const CATEGORIES = ['Hate', 'SelfHarm', 'Sexual', 'Violence']
const MAX_POINTS = 10_000
const MAX_DOCUMENTS = 5

export interface AnalyzeOptions {
  text: string
  categories: string[]
  blocklistNames: string[]
  haltOnBlocklistHit: boolean
  hasEightLevels: boolean
}

/** Reads the body of `text:analyze`; nulls count as absent. */
export function parseAnalyze(body: Record<string, unknown>): AnalyzeOptions {
  const text = body.text
  if (typeof text !== 'string' || text === '')
    throw azureError('The field text is required and must be a non-empty string.', 'text')
  if (codePointLength(text) > MAX_POINTS)
    throw azureError(`The field text must have at most ${MAX_POINTS} characters.`, 'text')
  const categories = readCategories(body)
  const halt = body.haltOnBlocklistHit ?? false
  if (typeof halt !== 'boolean')
    throw azureError('The field haltOnBlocklistHit must be a boolean.', 'haltOnBlocklistHit')
  const output = body.outputType ?? 'FourSeverityLevels'
  if (output !== 'FourSeverityLevels' && output !== 'EightSeverityLevels')
    throw azureError('The field outputType must be FourSeverityLevels or EightSeverityLevels.', 'outputType')
  return {
    text,
    categories: CATEGORIES.filter(category => categories.includes(category)),
    blocklistNames: [...new Set(stringList(body, 'blocklistNames'))],
    haltOnBlocklistHit: halt,
    hasEightLevels: output === 'EightSeverityLevels',
  }
}

/** The requested categories; all of them if the list is empty. */
export function readCategories(body: Record<string, unknown>): string[] {
  const requested = stringList(body, 'categories')
  if (requested.length === 0) return CATEGORIES
  return requested.map(
    name => CATEGORIES.find(category => category.toLowerCase() === name.toLowerCase()) ?? unknownCategory(name),
  )
}

function unknownCategory(name: string): never {
  throw azureError(`Unknown category ${name.slice(0, 50)}; expected one of ${CATEGORIES.join(', ')}.`, 'categories')
}

function stringList(body: Record<string, unknown>, field: string): string[] {
  const list = body[field] ?? []
  if (!Array.isArray(list) || !list.every(item => typeof item === 'string'))
    throw azureError(`The field ${field} must be a list of strings.`, field)
  return list as string[]
}

/** `lists` are the lists that users have created; every other name refers to the demo blocklist. */
export function analyze(registry: DetectorRegistry, options: AnalyzeOptions, lists: readonly Blocklist[]): object {
  const blocklistsMatch = matchBlocklists(registry, options, lists)
  if (options.haltOnBlocklistHit && blocklistsMatch.length > 0) return { blocklistsMatch, categoriesAnalysis: [] }
  const harm = harmMatches(registry, options.text)
  return {
    blocklistsMatch,
    categoriesAnalysis: options.categories.map(category => {
      const severity = highestSeverity(harm.get(category) ?? [])
      return { category, severity: options.hasEightLevels ? severity : severity - (severity % 2) }
    }),
  }
}

/** For each name, in order, the items that occur in the text, each once. */
function matchBlocklists(
  registry: DetectorRegistry,
  { text, blocklistNames }: AnalyzeOptions,
  lists: readonly Blocklist[],
): object[] {
  const created = new Map(lists.map(list => [list.blocklistName, list.items]))
  const terms = blocklistNames.flatMap(name => created.get(name) ?? [])
  const isHit = new TermAutomaton(terms.map(item => item.text)).search(text)
  const hits = new Set<object>(terms.filter((_, index) => isHit[index]))
  const needsDemo = blocklistNames.some(name => !created.has(name))
  const demoHits = new Set(needsDemo ? matchesOf(registry, 'blocklist', text).map(match => match.rule) : [])
  const demo = BLOCKLIST.filter(item => demoHits.has(item.rule)).map(item => ({
    blocklistItemId: item.rule,
    text: item.text,
  }))
  return blocklistNames.flatMap(blocklistName =>
    (created.get(blocklistName)?.filter(item => hits.has(item)) ?? demo).map(item => ({
      blocklistName,
      blocklistItemId: item.blocklistItemId,
      blocklistItemText: item.text,
    })),
  )
}

export interface ShieldOptions {
  userPrompt: string
  documents: string[]
}

export function parseShield(body: Record<string, unknown>): ShieldOptions {
  const userPrompt = body.userPrompt ?? ''
  if (typeof userPrompt !== 'string') throw azureError('The field userPrompt must be a string.', 'userPrompt')
  if (codePointLength(userPrompt) > MAX_POINTS)
    throw azureError(`The field userPrompt must have at most ${MAX_POINTS} characters.`, 'userPrompt')
  const documents = stringList(body, 'documents')
  if (documents.length > MAX_DOCUMENTS)
    throw azureError(`The field documents must have at most ${MAX_DOCUMENTS} items.`, 'documents')
  if (documents.reduce((sum, document) => sum + codePointLength(document), 0) > MAX_POINTS)
    throw azureError(`The documents must have at most ${MAX_POINTS} characters in total.`, 'documents')
  if (userPrompt === '' && documents.length === 0)
    throw azureError('A userPrompt or at least one document is required.')
  return { userPrompt, documents }
}

export function shield(registry: DetectorRegistry, { userPrompt, documents }: ShieldOptions): object {
  const analyzePrompt = (text: string): object => ({
    attackDetected: matchesOf(registry, 'injection', text).length > 0,
  })
  return { userPromptAnalysis: analyzePrompt(userPrompt), documentsAnalysis: documents.map(analyzePrompt) }
}
