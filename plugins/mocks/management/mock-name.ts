/** Names of mocks: validation, and deriving a name from a title or file name. */

const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/
/** Used by routes. */
const RESERVED = new Set(['reload', 'check'])

export function isMockName(name: string): boolean {
  return NAME.test(name) && !RESERVED.has(name)
}

/**
 * Derives a name: lower case, with other characters than `a-z0-9` replaced by a single `-`. The result can be empty.
 */
export function nameFrom(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, 64)
    .replace(/-$/, '')
}
