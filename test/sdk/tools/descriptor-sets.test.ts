/** The committed descriptor sets are those of the protobuf sources. */
import t from 'tap'
import { readFileSync } from 'node:fs'
import { DESCRIPTOR_SETS, compileDescriptorSet } from '../../../proto/compile.ts'

t.test('the checked-in descriptor set is that of the sources [GRPC-1]', async t => {
  for (const { path, sources } of DESCRIPTOR_SETS)
    t.ok(compileDescriptorSet(sources).equals(readFileSync(path)), 'run node --import tsx proto/compile.ts')
})
