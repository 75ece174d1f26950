/** Tags of captured requests: what plugins noticed about them. */

const MAX_TAGS = 10
const MAX_TAG = 80
/** Memory of a tag without its text. */
const TAG_BYTES = 32

/** Each tag once, cut, the earlier ones first. */
export function joinTags(tags: readonly string[], added: readonly string[]): readonly string[] {
  const joined = new Set(tags)
  for (const tag of added) joined.add(tag.slice(0, MAX_TAG))
  return [...joined].slice(0, MAX_TAGS)
}

/** Whether a request has the tag, which may end in `*`. */
export function hasTag(tags: readonly string[], wanted: string): boolean {
  const start = wanted.endsWith('*') ? wanted.slice(0, -1) : null
  return tags.some(tag => (start === null ? tag === wanted : tag.startsWith(start)))
}

/** Memory in bytes. */
export function sizeOfTags(tags: readonly string[]): number {
  return tags.reduce((bytes, tag) => bytes + TAG_BYTES + tag.length, 0)
}
