/** Where the parameters of an authorization request come from: the request itself, a request object, or a pushed request. */
import type { Issuer } from '../issuers/issuer.ts'
import { type Parameters, parametersOf } from '../oauth/parameters.ts'
import { DEFAULT_ISSUER } from '../settings/issuer-settings.ts'
import { CARRIED_PARAMETERS, type ReceivedRequest } from './authorization-request.ts'
import { checkClient } from './check-client.ts'
import { findPushed } from './pushed-requests.ts'
import { readRequestObject } from './request-object.ts'

/**
 * Finds the parameters. Throws errors that are shown on a page, because no redirect URI is known. `isContinued`: the user
 * has seen the login form. The default issuer supports neither request objects nor pushed requests.
 */
export async function receiveRequest(
  given: Parameters,
  issuer: Issuer,
  url: string,
  isContinued: boolean,
): Promise<ReceivedRequest> {
  const isPlain = issuer.name === DEFAULT_ISSUER || !(given.has('request') || given.has('request_uri'))
  if (isPlain) return direct(given)
  const client = await checkClient(given, issuer.findClient, url)
  const uri = given.get('request_uri')
  if (uri !== undefined) {
    const { parameters, isSigned } = await findPushed(uri, client.id, isContinued, issuer.stores.pushedRequests)
    return {
      parameters: parametersOf(parameters),
      isPushed: true,
      isSigned,
      requestUri: uri,
      carried: carry(given, ['client_id', 'request_uri']),
    }
  }
  return {
    parameters: await readRequestObject(given.get('request') ?? '', client, url),
    isPushed: false,
    isSigned: true,
    requestUri: null,
    carried: carry(given, ['client_id', 'request']),
  }
}

/** A request whose parameters are its own. */
function direct(parameters: Parameters): ReceivedRequest {
  return {
    parameters,
    isPushed: false,
    isSigned: false,
    requestUri: null,
    carried: carry(parameters, CARRIED_PARAMETERS),
  }
}

function carry(parameters: Parameters, names: readonly string[]): [string, string][] {
  return names.flatMap(name => parameters.getAll(name).map((value): [string, string] => [name, value]))
}
