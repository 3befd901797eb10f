{{/*
A name of at most 63 characters: base-suffix. One that is too long is cut in the base and told apart by a hash of the whole.
Argument: (dict "base" … "suffix" …); suffix may be empty.
*/}}
{{- define "survey-lib.join" -}}
{{- $whole := .base -}}
{{- if .suffix }}{{- $whole = printf "%s-%s" .base .suffix -}}{{- end -}}
{{- if le (len $whole) 63 -}}
{{- $whole -}}
{{- else -}}
{{- $tail := sha256sum $whole | trunc 8 -}}
{{- if .suffix }}{{- $tail = printf "%s-%s" $tail .suffix -}}{{- end -}}
{{- printf "%s-%s" (.base | trunc (int (sub 62 (len $tail))) | trimSuffix "-") $tail -}}
{{- end -}}
{{- end -}}

{{/* The release's own name for everything in it: fullnameOverride, or the release's name with the chart's where it lacks it. */}}
{{- define "survey-lib.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name -}}
{{- end -}}
{{- end -}}

{{/* The name of one object: (dict "root" $ "suffix" "gateway"). */}}
{{- define "survey-lib.name" -}}
{{- include "survey-lib.join" (dict "base" (include "survey-lib.fullname" .root) "suffix" .suffix) -}}
{{- end -}}

{{/* The name of a bundled store, which both charts must know: (dict "root" $ "suffix" "postgres"). */}}
{{- define "survey-lib.storeName" -}}
{{- include "survey-lib.join" (dict "base" .root.Release.Name "suffix" .suffix) -}}
{{- end -}}
