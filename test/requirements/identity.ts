/** Rules of the identity provider. */
export default [
  {
    id: 'IDP-1',
    rule: 'Demo clients and users are found by exact name; names of object members such as constructor are unknown',
    where: 'identity 1',
  },
  {
    id: 'IDP-2',
    rule: 'Responses of token, userinfo, introspect, revoke and register are never cached, including errors; metadata and keys are always revalidated',
    where: 'identity 2',
  },
  {
    id: 'IDP-3',
    rule: 'The issuer is the base URL of the request with the trusted prefix; verification never compares it with the current host',
    where: 'identity 2',
  },
  {
    id: 'IDP-4',
    rule: 'Form endpoints accept only URL-encoded forms, ignore the query, and treat an empty value as absent',
    where: 'identity 2',
  },
  { id: 'IDP-5', rule: 'Repeated parameters are rejected, except resource and audience', where: 'identity 2' },
  {
    id: 'IDP-6',
    rule: 'Error descriptions are printable ASCII without quotes and backslashes, never empty, and never repeat input',
    where: 'identity 2',
  },
  {
    id: 'IDP-7',
    rule: 'Basic credentials are split at the first colon and both parts form-decoded; an unencoded pair works, too',
    where: 'identity 2.1',
  },
  {
    id: 'IDP-8',
    rule: 'Every failure of client authentication is 401 invalid_client with a Basic challenge; mixed methods are 400',
    where: 'identity 2.1',
  },
  { id: 'IDP-9', rule: 'A public client authenticates by its id alone or with an empty secret', where: 'identity 2.1' },
  {
    id: 'IDP-10',
    rule: 'Both metadata documents list all endpoints and capabilities; paths below them do not exist',
    where: 'identity 3',
  },
  { id: 'IDP-11', rule: 'The JWK Set contains exactly one public RSA key', where: 'identity 3' },
  { id: 'IDP-12', rule: 'Key pair and stores survive a reload', where: 'identity 3' },
  {
    id: 'IDP-13',
    rule: 'Errors of the form, client or redirect URI are shown on a page without Location',
    where: 'identity 4.1',
  },
  {
    id: 'IDP-14',
    rule: 'Other errors are redirected with 303, state and iss; the first failed check gives the error',
    where: 'identity 4.1',
  },
  {
    id: 'IDP-15',
    rule: 'Demo clients can redirect to any absolute http(s) URI in visible ASCII without a fragment; registered clients only to their URIs, compared as strings',
    where: 'identity 4.2',
  },
  { id: 'IDP-16', rule: 'Response parameters are appended to the unchanged redirect URI', where: 'identity 4.2' },
  {
    id: 'IDP-17',
    rule: 'The login form contains the request parameters, shows client, scopes and users, and posts to a relative URL',
    where: 'identity 4.3',
  },
  { id: 'IDP-18', rule: 'All input shown on a page is escaped', where: 'identity 4.3' },
  { id: 'IDP-19', rule: 'Every page forbids framing, referrers and loading of resources', where: 'identity 4.3' },
  {
    id: 'IDP-20',
    rule: 'Deny needs no credentials; wrong credentials result in 401 with the form; valid ones in a redirect with code, state and iss',
    where: 'identity 4.3',
  },
  {
    id: 'IDP-21',
    rule: 'form_post responds with a form that submits itself with a script allowed by hash',
    where: 'identity 4.3',
  },
  {
    id: 'IDP-22',
    rule: 'A POST without username, password and action is an authorization request like a GET',
    where: 'identity 4',
  },
  {
    id: 'IDP-23',
    rule: 'prompt=none is login_required, none with other values is invalid_request, all other values are accepted',
    where: 'identity 4',
  },
  {
    id: 'IDP-24',
    rule: 'The token endpoint checks form, grant type, client, its grants, resource, then the grant',
    where: 'identity 5',
  },
  {
    id: 'IDP-25',
    rule: 'Scopes are free-form, ordered, without duplicates, at most 1000 characters; the default is the registered or standard scope',
    where: 'identity 5.1',
  },
  {
    id: 'IDP-26',
    rule: 'Up to five absolute resource URIs become the audience, without duplicates',
    where: 'identity 5.2',
  },
  {
    id: 'IDP-27',
    rule: 'The client credentials grant issues only an access token about the client',
    where: 'identity 5.3',
  },
  {
    id: 'IDP-28',
    rule: 'The password grant issues an access token, an ID token and a refresh token',
    where: 'identity 5.3',
  },
  {
    id: 'IDP-29',
    rule: 'The first redemption by its own client consumes a code, even if it fails; failed authentication and other clients do not',
    where: 'identity 5.3',
  },
  {
    id: 'IDP-30',
    rule: 'Redirect URI and verifier must match the authorization request; a verifier without a challenge is rejected',
    where: 'identity 5.3',
  },
  {
    id: 'IDP-31',
    rule: 'A refresh token is replaced at each use; a failed attempt leaves it usable; reuse revokes nothing',
    where: 'identity 5.3',
  },
  {
    id: 'IDP-32',
    rule: 'A refresh can narrow the scope but not widen it; the next refresh has the full scope again',
    where: 'identity 5.3',
  },
  {
    id: 'IDP-33',
    rule: 'Of concurrent redemptions of a code or refresh token exactly one succeeds',
    where: 'identity 5.3',
  },
  { id: 'IDP-34', rule: 'Access and ID tokens have exactly the claims of the profile', where: 'identity 5.4' },
  {
    id: 'IDP-35',
    rule: 'Token exchange accepts valid, unrevoked tokens of this server and narrows scope and audience',
    where: 'identity 5.5',
  },
  {
    id: 'IDP-36',
    rule: 'The actor becomes act, with earlier actors nested inside; without an actor, the act of the subject is kept',
    where: 'identity 5.5',
  },
  { id: 'IDP-37', rule: 'The requested token type determines header, audience and token_type', where: 'identity 5.5' },
  {
    id: 'IDP-38',
    rule: 'A token must be three parts of base64url JSON objects nested at most 64 levels',
    where: 'identity 6',
  },
  {
    id: 'IDP-39',
    rule: 'Only the exact value of alg selects the key; other header members are ignored, and crit is rejected',
    where: 'identity 6',
  },
  {
    id: 'IDP-40',
    rule: 'exp is required, dates are numbers, leeway is 30 seconds, and a future iat is allowed',
    where: 'identity 6',
  },
  {
    id: 'IDP-41',
    rule: 'Issuer, audience, algorithms, typ and revocation are checked on request',
    where: 'identity 6',
  },
  {
    id: 'IDP-42',
    rule: 'UserInfo accepts RS256 access tokens with the scope openid in the header or a form, with challenges of RFC 6750',
    where: 'identity 7',
  },
  {
    id: 'IDP-43',
    rule: 'Any confidential client can introspect any token; invalid tokens result in exactly active false',
    where: 'identity 7',
  },
  {
    id: 'IDP-44',
    rule: 'Revocation always responds with 200, affects only tokens of the client, and keeps related tokens',
    where: 'identity 7',
  },
  {
    id: 'IDP-45',
    rule: 'Registration checks each member with its own error and fills in defaults',
    where: 'identity 8',
  },
  {
    id: 'IDP-46',
    rule: 'Stores are bounded, smaller in public mode; a full store drops the entry that expires first',
    where: 'identity 1; specification, Bounded state',
  },
  {
    id: 'IDP-47',
    rule: 'The login page works without script, by keyboard, and for screen readers',
    where: 'identity 4.3; quality bar',
  },
  { id: 'IDP-48', rule: 'Invalid input results in an OAuth error, never in a crash', where: 'identity 13' },
  { id: 'IDP-49', rule: 'Real clients work unmodified', where: 'identity 14' },
  {
    id: 'IDP-50',
    rule: 'Debug tokens can have any claims, header, dates and signature; in public mode only admins can create them',
    where: 'identity 16.1',
  },
]
