/** Gateways that are wrong about what fails, takes long or streams. */
import t from 'tap'
import { testWrongGateways } from './graph-gateways/wrong.ts'

testWrongGateways(t, id => /^GQL-(?:ERRPATH|NULL|PARTIAL|TYPES|ENTITIES|TIMEOUT|ABORT|SUB-.*)$/.test(id))
