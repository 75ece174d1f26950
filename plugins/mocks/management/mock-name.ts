/** Names of mocks: their form, and making one from a title or a file. */

const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/
/** Taken by routes. */
const RESERVED = new Set(['reload', 'check'])

export function isMockName(name: string): boolean {
  return NAME.test(name) && !RESERVED.has(name)
}

/** A name made of a title or a file's stem: lower case, everything else than `a-z0-9` as one `-`; empty when nothing is left. */
export function nameFrom(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, 64)
    .replace(/-$/, '')
}
