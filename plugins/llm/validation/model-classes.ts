/** Classes of models whose vendors take different parameters. */

/** A class, with the names of its models as the catalog shows them. */
export interface ModelClass {
  class: ModelClassName
  names: string
}

export type ModelClassName =
  | 'o'
  | 'gpt5'
  | 'gpt5.1+'
  | 'plain'
  | 'claude-budget'
  | 'claude-4-6'
  | 'claude-adaptive'
  | 'claude-bound'
  | 'gemini-3'

export const MODEL_CLASSES: readonly ModelClass[] = [
  { class: 'o', names: 'o and a digit: o1, o3-mini, o4-mini' },
  { class: 'gpt5', names: 'gpt-5, gpt-5-mini, gpt-5-nano, gpt-5-pro, gpt-5-codex' },
  { class: 'gpt5.1+', names: 'gpt-5.<n>, gpt-6 and later numbers' },
  { class: 'plain', names: 'gpt-3.5, gpt-4, chatgpt-4o, and all that end in -chat-latest' },
  { class: 'claude-budget', names: 'Claude up to 4.5: claude-3-7-sonnet, claude-opus-4-1, claude-haiku-4-5' },
  { class: 'claude-4-6', names: 'Claude 4.6' },
  { class: 'claude-adaptive', names: 'Claude 4.7, 4.8, 5 and later' },
  { class: 'claude-bound', names: 'claude-fable-5-1, claude-fable-5-2, claude-opus-5-5' },
  { class: 'gemini-3', names: 'gemini-3 and later numbers, gemini-flash-latest, gemini-pro-latest' },
]

const NONE: readonly ModelClassName[] = []
const BOUND = new Set(['claude-fable-5-1', 'claude-fable-5-2', 'claude-opus-5-5'])
const MAX_NAME = 100

/** The classes of a model. Names that begin with `svc` and unknown names are in none. */
export function modelClasses(model: string): readonly ModelClassName[] {
  if (model.length > MAX_NAME) return NONE
  const name = shortName(model)
  if (name.startsWith('svc')) return NONE
  if (name.startsWith('claude')) return claudeClasses(name)
  if (name.startsWith('gemini')) return isGemini3(name) ? ['gemini-3'] : NONE
  return openAiClasses(name)
}

/** The last part of the name, in lower case, without the prefixes of regions and vendors, and without a date or version. */
function shortName(model: string): string {
  const last = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  return last
    .replace(/^(?:us|eu|apac|jp|au|global|us-gov)\./, '')
    .replace(/^anthropic\./, '')
    .replace(/-v\d+(?::\d+)?$/, '')
    .replace(/[@-](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, suffix => (suffix === '-latest' ? suffix : ''))
}

function openAiClasses(name: string): readonly ModelClassName[] {
  if (name.endsWith('-chat-latest') || /^(?:gpt-3\.5|gpt-4|chatgpt-4o)/.test(name)) return ['plain']
  if (/^o\d/.test(name)) return ['o']
  if (/^gpt-5(?:-(?:mini|nano|pro|codex))?$/.test(name)) return ['gpt5']
  return /^gpt-(?:5\.\d|[6-9]|[1-9]\d)/.test(name) ? ['gpt5.1+'] : NONE
}

/** `claude-3-7-sonnet`, `claude-opus-4-1`, `claude-sonnet-5`. */
function claudeClasses(name: string): readonly ModelClassName[] {
  const version = /^claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?:-|$)/.exec(name.replace(/-latest$/, ''))
  if (version === null) return NONE
  const [major, minor] = [Number(version[1]), Number(version[2] ?? 0)]
  if (major < 4 || (major === 4 && minor <= 5)) return ['claude-budget']
  if (major === 4 && minor === 6) return ['claude-4-6']
  return BOUND.has(name) ? ['claude-adaptive', 'claude-bound'] : ['claude-adaptive']
}

function isGemini3(name: string): boolean {
  return (
    /^gemini-(?:[3-9]|[1-9]\d)(?![\d])/.test(name) || name === 'gemini-flash-latest' || name === 'gemini-pro-latest'
  )
}
