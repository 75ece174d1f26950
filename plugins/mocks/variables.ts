/** The environment variables of the plugin. */
import { boolean, text, variable, type VariableValues } from 'svc/plugin'
import { hosts } from 'svc/toolkit'

export const variables = {
  /** Path as given. */
  dir: variable({
    name: 'SVC_MOCKS_DIR',
    parser: text,
    default: null,
    shownAs: 'mocks.dir',
    after: 'SVC_WATCH',
    description: 'Folder of OpenAPI documents to serve as mocks.',
  }),
  sample: variable({
    name: 'SVC_MOCKS_SAMPLE',
    parser: boolean,
    default: true,
    shownAs: 'mocks.sample',
    description: 'Serve the built-in mock `petstore`.',
  }),
  /** `host` or `host:port`, lower case, IPv6 in brackets. */
  callbackAllowlist: variable({
    name: 'SVC_MOCKS_CALLBACK_ALLOWLIST',
    parser: hosts,
    default: [],
    defaultText: 'none',
    shownAs: 'mocks.callback_allowlist',
    after: 'SVC_MOCKS_SAMPLE',
    description: 'Hosts that callbacks of OpenAPI documents may be sent to, besides paths of this instance.',
  }),
}

export type Variables = VariableValues<typeof variables>
