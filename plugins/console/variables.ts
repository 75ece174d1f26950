/** The environment variables of the plugin. */
import { parser, variable, type VariableValues } from 'svc/plugin'
import { isHttpUrl } from 'svc/toolkit'

/** The first 80 characters, trimmed, without control characters. Null if nothing is left. */
const pageTitle = parser<string | null>('text, first 80 characters', value => {
  const characters = Array.from(value.replace(/\p{Cc}/gu, ''))
  return characters.slice(0, 80).join('').trim() || null
})

/** An http(s) URL that is safe in HTML: no user info, spaces, quotes, angle brackets or backslashes. */
const pageLink = parser('http:// or https:// URL, at most 2048 characters', value => {
  if (value.length > 2048 || /[\s"'<>`\\\p{Cc}]/u.test(value)) return undefined
  return isHttpUrl(value) ? value : undefined
})

export const variables = {
  title: variable({
    name: 'SVC_CONSOLE_TITLE',
    parser: pageTitle,
    default: null,
    shownAs: 'console_title',
    statusAs: 'title',
    after: 'SVC_CONTROL_JWT_AUDIENCE',
    description: 'Text in the header and tab title of the console.',
  }),
  backlink: variable({
    name: 'SVC_CONSOLE_BACKLINK',
    parser: pageLink,
    default: null,
    shownAs: 'console_backlink',
    statusAs: 'backlink',
    description: "Address of the console's back link.",
  }),
}

export type Variables = VariableValues<typeof variables>
