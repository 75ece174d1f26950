/** Tags of the inspector: which rules a request violates, and the one that it was refused for. */
import { idsOf, type CallValidation } from './violations.ts'

const VIOLATION = 'violation:'
const REFUSED = 'refused:'

/** The refusal first, since an entry keeps few tags. */
export function tagsOf({ violations, refused }: CallValidation): string[] {
  return [
    ...(refused === null ? [] : [`${REFUSED}${refused.rule.rule}`]),
    ...idsOf(refused === null ? violations : [refused, ...violations]).map(id => `${VIOLATION}${id}`),
  ]
}

/** The rules that were found on arrival. */
export function taggedRules(tags: readonly string[]): string[] {
  return tags.filter(tag => tag.startsWith(VIOLATION)).map(tag => tag.slice(VIOLATION.length))
}
