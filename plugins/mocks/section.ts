/** The section `mocks` of `svc.yaml`, and what the command line adds to it. */
import type { MockEntry } from './sources.ts'

/** The list in the file; a document that the command line serves comes as a member of it. */
export type MocksSection = MockEntry[] & { served?: { name: string; spec: string }[] }

/**
 * Entries are checked by the plugin itself, so that one with a mistake is named by its place and the others are served:
 * the schema says what they look like and refuses nothing but another type than a list.
 */
export const MOCKS_SECTION = {
  type: 'array',
  description: 'OpenAPI documents to mock: each with name, spec (a path or the document itself), enabled, settings, rules, overrides.',
  default: [],
}
