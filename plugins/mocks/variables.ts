/** The environment variables of the plugin. */
import { boolean, text, variable } from 'svc/plugin'
import type { VariableValues } from 'svc/plugin'

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
}

export type Variables = VariableValues<typeof variables>
