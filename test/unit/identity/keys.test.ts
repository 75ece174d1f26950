/** Keys of an issuer that are made at first use. */
import t from 'tap'
import { createImportedKeys, importThrough } from '../../../plugins/identity/keys/imported-keys.ts'
import { createIssuerKeys } from '../../../plugins/identity/keys/issuer-keys.ts'
import type { MirroredStore } from '../../../core/toolkit/mirrored-store.ts'
import type { KeyRecord } from '../../../plugins/identity/stores/records.ts'

t.test('requests at the same time wait for the same keys', async t => {
  const stored = new Map<string, KeyRecord>()
  let added = 0
  const records = {
    get: async (name: string) => stored.get(name),
    async add(name: string, record: KeyRecord) {
      added++
      if (stored.has(name)) return false
      stored.set(name, record)
      return true
    },
  } as unknown as MirroredStore<KeyRecord>
  const keys = createIssuerKeys({
    issuer: 'shop',
    algorithms: ['ES256', 'EdDSA'],
    records,
    importKey: importThrough(createImportedKeys()),
  })
  const signing = await Promise.all(Array.from({ length: 8 }, () => keys.signing()))
  t.equal(new Set(signing.map(key => key?.privateKey)).size, 1)
  t.equal(added, 1, 'the keys are made once')
})
