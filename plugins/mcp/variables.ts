/** The environment variables of the plugin. */
import { list, parser, text, variable, wholeNumber, type VariableValues } from 'svc/plugin'
import { isHttpUrl, splitList } from 'svc/toolkit'

/** http(s) URL without its trailing slashes. */
const resourceUrl = parser('http:// or https:// URL', value =>
  !/\s/.test(value) && isHttpUrl(value) ? withoutTrailingSlash(value) : undefined,
)

/** Origins that are compared without case and without a trailing slash. */
const looseOrigins = parser('comma-separated origins, or *', value => {
  const origins = splitList(value).map(origin => (origin.endsWith('/') ? origin.slice(0, -1) : origin).toLowerCase())
  if (origins.includes('*')) return ['*']
  return origins.length === 0 ? undefined : origins
})

export const variables = {
  clockTickSecs: variable({
    name: 'SVC_MCP_CLOCK_TICK_SECS',
    parser: wholeNumber(1, 3600, 'seconds'),
    default: 5,
    shownAs: 'mcp.clock_tick_secs',
    description: 'Seconds between updates of the MCP clock resource.',
  }),
  apiKey: variable({
    name: 'SVC_MCP_API_KEY',
    parser: text,
    default: null,
    defaultText: 'any value',
    shownAs: 'mcp.api_key_configured',
    secret: true,
    description: 'The only key that `/mcp/apikey` accepts.',
  }),
  resourceUrl: variable({
    name: 'SVC_MCP_RESOURCE_URL',
    parser: resourceUrl,
    default: null,
    defaultText: '<base>/mcp/protected',
    shownAs: 'mcp.resource_url',
    description: 'Resource URL that tokens for `/mcp/protected` must be issued for.',
  }),
  acceptedAudiences: variable({
    name: 'SVC_MCP_ACCEPTED_AUDIENCES',
    parser: list({ none: true }),
    default: ['svc'],
    defaultText: 'svc',
    shownAs: 'mcp.accepted_audiences',
    description: 'Audiences that `/mcp/protected` accepts in addition to its resource URL; `none` accepts no others.',
  }),
  /** Lower case, without trailing slash, or `['*']`. */
  allowedOrigins: variable({
    name: 'SVC_MCP_ALLOWED_ORIGINS',
    parser: looseOrigins,
    default: ['*'],
    defaultText: '*',
    shownAs: 'mcp.allowed_origins',
    description: 'Origins of browser requests that MCP routes accept; others get 403.',
  }),
}

export type Variables = VariableValues<typeof variables>

function withoutTrailingSlash(value: string): string {
  let end = value.length
  while (value[end - 1] === '/') end--
  return value.slice(0, end)
}
