/** Gateways that are wrong about what fails, takes long or streams. */
import { testWrongGateways } from './graph-gateways/wrong.ts'

testWrongGateways(id => /^GQL-(?:ERRPATH|NULL|PARTIAL|TYPES|ENTITIES|TIMEOUT|ABORT|SUB-.*)$/.test(id))
