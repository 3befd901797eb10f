{{/*
Returns base-suffix, with at most 63 characters: a longer name has a shortened base and a hash of the whole.
Argument: (dict "base" … "suffix" …); suffix may be empty.
*/}}
{{- define "survey.join" -}}
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

{{/* Prefix of all names: fullnameOverride, or the release name, with the chart name unless it contains it. */}}
{{- define "survey.fullname" -}}
{{- $release := include "survey.release" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains .Chart.Name $release -}}
{{- $release -}}
{{- else -}}
{{- printf "%s-%s" $release .Chart.Name -}}
{{- end -}}
{{- end -}}

{{/* Release name without dots, which Kubernetes rejects in the name of a Service. */}}
{{- define "survey.release" -}}
{{- .Release.Name | replace "." "-" -}}
{{- end -}}

{{/* Name of one object: (dict "root" $ "suffix" "gateway"). */}}
{{- define "survey.name" -}}
{{- include "survey.join" (dict "base" (include "survey.fullname" .root) "suffix" .suffix) -}}
{{- end -}}

{{/* Name of a bundled store: (dict "root" $ "suffix" "postgres"). */}}
{{- define "survey.storeName" -}}
{{- include "survey.join" (dict "base" (include "survey.release" .root) "suffix" .suffix) -}}
{{- end -}}
