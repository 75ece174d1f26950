/** Reads the mode from a header value or a model name. */
import { modes, type Mode } from '../contract/neutral.ts'

const headerWords: Readonly<Record<string, Mode>> = {
  canned: 'canned',
  default: 'canned',
  echo: 'echo',
  scripted: 'scripted',
  script: 'scripted',
  random: 'random',
}

/** The mode of an `X-Svc-Mode` value; undefined if it is unknown. */
export function modeOfHeader(value: string | undefined): Mode | undefined {
  const word = value?.trim().toLowerCase()
  return word !== undefined && Object.hasOwn(headerWords, word) ? headerWords[word] : undefined
}

/** The first segment of a model name that names a mode: `svc-echo`, `my/random.v2`. */
export function modeOfModel(model: string): Mode | undefined {
  const name = model.toLowerCase()
  // Most names contain no mode, and splitting takes measurable time.
  if (!modes.some(mode => name.includes(mode))) return undefined
  for (const segment of name.split(/[-_:/.@]/)) {
    const mode = modes.find(candidate => candidate === segment)
    if (mode !== undefined) return mode
  }
  return undefined
}
