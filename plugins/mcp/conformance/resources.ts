/** Owns the resources of the conformance suite. */
import type { ResourceDefinition, TemplateDefinition } from '../types.ts'
import { PNG } from './contents.ts'
import { ON_CONFORMANCE } from './fixture.ts'

export const resourceFixtures: ResourceDefinition[] = [
  {
    ...ON_CONFORMANCE,
    uri: 'test://static-text',
    name: 'static-text',
    description: 'A text resource',
    mimeType: 'text/plain',
    read: () => ({ text: 'This is the content of the static text resource.' }),
  },
  {
    ...ON_CONFORMANCE,
    uri: 'test://static-binary',
    name: 'static-binary',
    description: 'An image',
    mimeType: 'image/png',
    read: () => ({ blob: PNG }),
  },
  {
    ...ON_CONFORMANCE,
    uri: 'test://watched-resource',
    name: 'watched-resource',
    description: 'A resource to subscribe to',
    mimeType: 'text/plain',
    read: () => ({ text: 'Watched resource content' }),
  },
]

export const templateFixture: TemplateDefinition = {
  ...ON_CONFORMANCE,
  uriTemplate: 'test://template/{id}/data',
  name: 'template-data',
  description: 'Data for an id',
  mimeType: 'application/json',
  exists: () => true,
  complete: { id: ['1', '12', '123'] },
  read: ({ id = '' }) => ({ text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) }),
}
