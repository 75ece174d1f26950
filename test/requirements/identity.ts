/** Rules of the identity provider. */
export default [
  {
    id: 'IDP-1',
    rule: 'Demo clients and users are known by exact names; names of object members are unknown ones',
    where: 'identity 1',
  },
  {
    id: 'IDP-2',
    rule: 'Answers of token, userinfo, introspect, revoke and register are never stored, errors included; metadata and keys are always asked for again',
    where: 'identity 2',
  },
  {
    id: 'IDP-3',
    rule: 'The issuer is the base URL of each request with the trusted prefix; verification never compares it with the current host',
    where: 'identity 2',
  },
  {
    id: 'IDP-4',
    rule: 'Form endpoints take urlencoded forms alone, ignore the query, and take an empty value as absent',
    where: 'identity 2',
  },
  { id: 'IDP-5', rule: 'A parameter given twice is refused, resource and audience aside', where: 'identity 2' },
  {
    id: 'IDP-6',
    rule: 'Error descriptions are printable ASCII without quotes and backslashes, never empty, and never repeat input',
    where: 'identity 2',
  },
  {
    id: 'IDP-7',
    rule: 'Basic is cut at the first colon and both parts form-decoded; a raw pair works too',
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
    rule: 'Both metadata documents name all endpoints and abilities; nothing answers below them',
    where: 'identity 3',
  },
  { id: 'IDP-11', rule: 'The JWK Set holds exactly one public RSA key', where: 'identity 3' },
  { id: 'IDP-12', rule: 'Key pair and stores survive a reload', where: 'identity 3' },
  {
    id: 'IDP-13',
    rule: 'What is wrong with form, client or redirect URI is shown on a page without Location',
    where: 'identity 4.1',
  },
  {
    id: 'IDP-14',
    rule: 'All other errors are redirected with 303, state and iss, the first in the order of the checks',
    where: 'identity 4.1',
  },
  {
    id: 'IDP-15',
    rule: 'Demo clients redirect to any absolute http(s) URI in visible ASCII without fragment; registered ones to theirs as strings',
    where: 'identity 4.2',
  },
  { id: 'IDP-16', rule: 'Response parameters are appended to the redirect URI as given', where: 'identity 4.2' },
  {
    id: 'IDP-17',
    rule: 'The login form carries the request, shows client, scopes and users, and posts to a relative address',
    where: 'identity 4.3',
  },
  { id: 'IDP-18', rule: 'Everything that a page repeats is escaped', where: 'identity 4.3' },
  { id: 'IDP-19', rule: 'Every page forbids framing, referrers and everything to load', where: 'identity 4.3' },
  {
    id: 'IDP-20',
    rule: 'Deny needs no credentials; wrong ones give 401 with the form again; right ones redirect with code, state and iss',
    where: 'identity 4.3',
  },
  {
    id: 'IDP-21',
    rule: 'form_post answers with a form that submits itself by one script allowed by its hash',
    where: 'identity 4.3',
  },
  {
    id: 'IDP-22',
    rule: 'A POST without username, password and action is an authorization request like a GET',
    where: 'identity 4',
  },
  {
    id: 'IDP-23',
    rule: 'prompt none is login_required, none beside others invalid_request, every other value is accepted',
    where: 'identity 4',
  },
  {
    id: 'IDP-24',
    rule: 'The token endpoint checks form, grant type, client, its grants, resource, then the grant',
    where: 'identity 5',
  },
  {
    id: 'IDP-25',
    rule: 'Scopes are free-form, ordered, each once, at most 1000 characters, with the registered or usual ones as default',
    where: 'identity 5.1',
  },
  { id: 'IDP-26', rule: 'Up to five absolute resource URIs become the audience, each once', where: 'identity 5.2' },
  {
    id: 'IDP-27',
    rule: 'Client credentials give an access token about the client and nothing else',
    where: 'identity 5.3',
  },
  { id: 'IDP-28', rule: 'The password grant gives access, ID and refresh token', where: 'identity 5.3' },
  {
    id: 'IDP-29',
    rule: 'The first redemption of a code by its own client uses it up whatever its outcome; failed authentication and other clients do not',
    where: 'identity 5.3',
  },
  {
    id: 'IDP-30',
    rule: 'Redirect URI and verifier must be those of the authorization request; a verifier without a challenge is refused',
    where: 'identity 5.3',
  },
  {
    id: 'IDP-31',
    rule: 'A refresh token is replaced at each use; a failed attempt leaves it usable; reuse revokes nothing',
    where: 'identity 5.3',
  },
  {
    id: 'IDP-32',
    rule: 'A refresh may narrow the scope, never widen it, and the next one has all of it again',
    where: 'identity 5.3',
  },
  {
    id: 'IDP-33',
    rule: 'Of parallel redemptions of one code or refresh token exactly one succeeds',
    where: 'identity 5.3',
  },
  { id: 'IDP-34', rule: 'Access and ID tokens have exactly the claims of the profile', where: 'identity 5.4' },
  {
    id: 'IDP-35',
    rule: 'Token exchange takes valid, unrevoked tokens of this server and narrows scope and audience',
    where: 'identity 5.5',
  },
  {
    id: 'IDP-36',
    rule: 'An actor becomes act with former actors inside; without one the subject keeps its act',
    where: 'identity 5.5',
  },
  { id: 'IDP-37', rule: 'The requested token type decides header, audience and token_type', where: 'identity 5.5' },
  {
    id: 'IDP-38',
    rule: 'A token must be three parts of base64url JSON objects nested at most 64 levels',
    where: 'identity 6',
  },
  {
    id: 'IDP-39',
    rule: 'The key follows from alg by exact text; everything else in the header is ignored, crit fails',
    where: 'identity 6',
  },
  {
    id: 'IDP-40',
    rule: 'exp is required, dates are numbers, leeway is 30 seconds, a future iat is fine',
    where: 'identity 6',
  },
  {
    id: 'IDP-41',
    rule: 'Issuer, audience, algorithms, typ and revocation are checked when asked for',
    where: 'identity 6',
  },
  {
    id: 'IDP-42',
    rule: 'UserInfo takes RS256 access tokens with scope openid from header or form, with the challenges of RFC 6750',
    where: 'identity 7',
  },
  {
    id: 'IDP-43',
    rule: 'Introspection tells any confidential client about any token, and exactly active false about all else',
    where: 'identity 7',
  },
  {
    id: 'IDP-44',
    rule: 'Revocation answers 200 to all, acts on own tokens alone, and leaves the sibling tokens',
    where: 'identity 7',
  },
  {
    id: 'IDP-45',
    rule: 'Registration checks each member with its own error and fills in defaults',
    where: 'identity 8',
  },
  {
    id: 'IDP-46',
    rule: 'Stores are bounded, smaller in public mode; a full one drops what is nearest its end',
    where: 'identity 1; specification, Bounded state',
  },
  {
    id: 'IDP-47',
    rule: 'The login page works without script, by keyboard, and for screen readers',
    where: 'identity 4.3; quality bar',
  },
  { id: 'IDP-48', rule: 'Bad input of any kind gets an OAuth error, never a crash', where: 'identity 13' },
  { id: 'IDP-49', rule: 'Real clients work unmodified', where: 'identity 14' },
  {
    id: 'IDP-50',
    rule: 'Tokens can be ordered with any claims, header, dates and signature, in public mode by admins alone',
    where: 'identity 16.1',
  },
]
