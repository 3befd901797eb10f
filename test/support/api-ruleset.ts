import { truthy } from '@stoplight/spectral-functions';
import { oas } from '@stoplight/spectral-rulesets';
import type { RulesetDefinition } from '@stoplight/spectral-core';

/** Rules of Spectral for the OpenAPI document: all of its own, except those that do not apply. */
export const apiRuleset: RulesetDefinition = {
  // The published type of `oas` lacks the union that RulesetDefinition requires.
  extends: [[oas as unknown as RulesetDefinition, 'all']],
  rules: {
    // OpenAPI 3.1 allows the roles of any security scheme; the rule knows only those of OAuth.
    'oas3-operation-security-defined': 'off',
    // The operator of an installation is the contact, and this document names no organisation.
    'contact-properties': 'off',
    // OpenAPI 3.1 allows the SPDX identifier instead of a URL.
    'license-url': 'off',
    'property-description': {
      description: 'Every property has a description.',
      severity: 'error',
      given: ['$.components.schemas..properties[*]', '$.paths..properties[*]'],
      // oxlint-disable-next-line unicorn/no-thenable -- the name is Spectral's
      then: { field: 'description', function: truthy },
    },
  },
};
