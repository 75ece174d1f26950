/** The bill of materials of the published package: CycloneDX 1.6, JSON. */
import { createHash } from 'node:crypto'
import type { Component } from './components.ts'
import type { PublishedManifest } from './published.ts'

/** `time` is that of the commit, so that two builds of one commit write the same text. */
export function billOfMaterials(
  { name, version, description, license }: PublishedManifest,
  components: readonly Component[],
  time: Date,
): string {
  const ref = purlOf(name, version)
  const listed = components
    .map(component => ({ purl: purlOf(component.name, component.version), component }))
    .sort((a, b) => (a.purl < b.purl ? -1 : 1))
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf([ref, time.toISOString(), ...listed.map(({ purl }) => purl)].join('\n'))}`,
    version: 1,
    metadata: {
      timestamp: time.toISOString(),
      component: {
        type: 'application',
        'bom-ref': ref,
        ...namesOf(name),
        version,
        description,
        licenses: licensesOf(license),
        purl: ref,
      },
    },
    components: listed.map(({ purl, component }) => ({
      type: 'library',
      'bom-ref': purl,
      ...namesOf(component.name),
      version: component.version,
      ...(component.sha512 === null
        ? {}
        : { hashes: [{ alg: 'SHA-512', content: Buffer.from(component.sha512, 'base64').toString('hex') }] }),
      licenses: licensesOf(component.license),
      purl,
      properties: [{ name: 'svc:bundled', value: String(component.isBundled) }],
    })),
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

/** `pkg:npm/%40scope/name@1.2.3`, the type npm of the package URL specification. */
export function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

function namesOf(name: string): { group?: string; name: string } {
  const [scope, own] = name.split('/')
  return own === undefined ? { name } : { group: scope!, name: own }
}

function licensesOf(license: string): object[] {
  return [/ (OR|AND|WITH) /.test(license) ? { expression: license } : { license: { id: license } }]
}

/** A UUID of version 5 form, from the SHA-1 of a text. */
function uuidOf(text: string): string {
  const hash = createHash('sha1').update(text).digest('hex')
  const variant = ((Number.parseInt(hash[16]!, 16) & 0x3) | 0x8).toString(16)
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `5${hash.slice(13, 16)}`,
    variant + hash.slice(17, 20),
    hash.slice(20, 32),
  ].join('-')
}
