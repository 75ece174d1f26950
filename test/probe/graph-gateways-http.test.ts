/** Gateways that are wrong about documents, the schema, HTTP and files. */
import t from 'tap'
import { testWrongGateways } from './graph-gateways/wrong.ts'

testWrongGateways(t, id => /^GQL-(?:APQ|TRUSTED|INTROSPECTION|HIDDEN|STATUS|CSRF|LIMITS|DEFER|UPLOAD)$/.test(id))
