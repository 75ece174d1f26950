/** Hosts of `svc.serveHost` in `svc.yaml`. */
import type { JsonSchema } from '../contract/json-schema.ts'

/** A host without port, with at most one `*` for any characters. */
export const HOST_SCHEMA: JsonSchema = {
  type: 'string',
  pattern: '^(?=[^*]*\\*?[^*]*$)(?:\\*|[A-Za-z0-9_*](?:[A-Za-z0-9_.*-]{0,251}[A-Za-z0-9_*])?|[0-9A-Fa-f:]{2,45})$',
  description: 'A host without port, which may have one * for any characters, such as *.example; * alone is every host',
}
